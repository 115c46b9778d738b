# SPDX-License-Identifier: Apache-2.0
"""Weighted graphs from NetworkX or from a file of edges."""

import csv
import re
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path

from toolchain.errors import BadInput

__all__ = ["NAMED", "Edge", "Graph", "load_graph"]

NAMED = {"karate": "karate_club_graph", "les-miserables": "les_miserables_graph"}
"""Graphs that come with NetworkX, and the function that makes them."""

_SOURCE = {"source", "from", "src", "u", "node1", "start", "tail"}
_TARGET = {"target", "to", "dst", "v", "node2", "end", "head"}
_WEIGHT = {"weight", "distance", "cost", "length", "w", "value"}

_MOST_DECIMALS = 30


@dataclass(frozen=True)
class Edge:
    """An edge between node indices; ``where`` says where it was read, for messages."""

    source: int
    target: int
    weight: Decimal
    where: str


@dataclass(frozen=True)
class Graph:
    """Nodes by name, in the order they were met, and edges."""

    name: str
    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    directed: bool


def load_graph(text: str, *, directed: bool) -> Graph:
    """The graph of that name, or in that file.

    Parameters
    ----------
    text : str
        A name in `NAMED`, or a path: one edge per line as source, target and, if not 1, weight; separated by commas,
        semicolons, tabs or spaces; a header is recognised; lines that begin with # or % are comments.
    directed : bool
        Whether edges of a file go one way only.

    Raises
    ------
    BadInput
        If there is no such graph, or a line cannot be read; the sentence has its number.
    """
    if text in NAMED:
        return _from_networkx(text)
    path = Path(text)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError as error:
        raise BadInput(f"--graph {text!r} is neither a file nor one of {', '.join(NAMED)}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"--graph {text} is not a text file in UTF-8") from error
    except OSError as error:
        raise BadInput(f"cannot read --graph {text}: {error.strerror}") from error
    return _from_lines(path.name, lines, directed)


def _from_networkx(name):
    import networkx

    graph = getattr(networkx, NAMED[name])()
    nodes = tuple(map(str, graph.nodes))
    index = {node: n for n, node in enumerate(graph.nodes)}
    edges = tuple(
        Edge(index[u], index[v], Decimal(str(data.get("weight", 1))), f"edge {u} - {v}")
        for u, v, data in graph.edges(data=True)
    )
    return Graph(name, nodes, edges, directed=False)


def _from_lines(name, lines, directed):
    rows = _rows(name, lines)
    if not rows:
        raise BadInput(f"{name} holds no edge: write one per line as source, target, weight")
    columns, rows = _columns(name, rows)
    if not rows:
        raise BadInput(f"{name} holds a header and no edge")
    index: dict[str, int] = {}
    edges = []
    for number, row in rows:
        where = f"{name} line {number}"
        if len(row) <= max(column for column in columns if column is not None):
            raise BadInput(f"{where} has {len(row)} columns where source, target and weight were expected")
        source, target = (row[column] for column in columns[:2])
        if not source or not target:
            raise BadInput(f"{where} has a node without a name")
        weight = Decimal(1) if columns[2] is None else _weight(where, row[columns[2]])
        edges.append(Edge(index.setdefault(source, len(index)), index.setdefault(target, len(index)), weight, where))
    return Graph(name, tuple(index), tuple(edges), directed)


def _rows(name, lines) -> list[tuple[int, list[str]]]:
    """Line number and columns of every line that is neither empty nor a comment."""
    kept = [(n, line.strip()) for n, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] not in "#%"]
    if not kept:
        return []
    separator = next((mark for mark in ",;\t" if mark in kept[0][1]), None)
    if separator is None:
        return [(n, line.split()) for n, line in kept]
    try:
        return [(n, [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True))]) for n, line in kept]
    except csv.Error as error:
        raise BadInput(f"{name} cannot be read as edges separated by {separator!r}: {error}") from error


def _columns(name, rows):
    """Which columns hold source, target and weight (or None), and the rows without the header."""
    first = [cell.lower() for cell in rows[0][1]]

    def named(words):
        return next((n for n, cell in enumerate(first) if cell in words), None)

    source, target, weight = named(_SOURCE), named(_TARGET), named(_WEIGHT)
    if source is not None and target is not None:
        return (source, target, weight), rows[1:]
    width = len(first)
    if width not in (2, 3):
        raise BadInput(f"{name} line {rows[0][0]} has {width} columns where source, target and weight were expected")
    is_header = width == 3 and not _is_number(first[2])
    return (0, 1, 2 if width == 3 else None), rows[is_header:]


def _is_number(text) -> bool:
    return bool(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", text, re.IGNORECASE))


def _weight(where, text) -> Decimal:
    try:
        weight = Decimal(text)
    except InvalidOperation as error:
        raise BadInput(f"{where} has the weight {text!r}, which is not a number") from error
    if not weight.is_finite():
        raise BadInput(f"{where} has the weight {text!r}; leave out an edge that does not exist")
    digits = len(weight.as_tuple().digits)
    weight = weight.normalize(Context(prec=digits))  # 1.50 needs no more decimals than 1.5
    if weight and not -_MOST_DECIMALS <= int(weight.as_tuple().exponent) <= weight.adjusted() <= _MOST_DECIMALS:
        raise BadInput(f"{where} has the weight {text}, and {_MOST_DECIMALS} digits before and after the point are the most")
    return weight
