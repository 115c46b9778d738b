# SPDX-License-Identifier: Apache-2.0
"""All-pairs shortest paths, by repeated min-plus squaring of the weight matrix on the systolic array.

With D[i, j] the weight of the edge from i to j, infinity without one, and 0 for i = j, the min-plus square of D holds the
shortest paths of at most two edges, its square those of at most four: ceil(log2(n - 1)) squarings hold all of them.
"""

import difflib
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import numpy as np
from cyclopts import App, Parameter

from golden.semiring import SEMIRINGS
from golden.systolic import SystolicParams
from toolchain.errors import BadInput, Mismatch
from toolchain.verilator import Tools
from trme.options import JsonFile, Seed, VerilatorPath, integer_option, write_json
from trme.products import SystolicEngine
from trme.progress import Progress
from trme.workloads.graphs import NAMED, Graph, load_graph

__all__ = ["app", "shortest_paths"]

_MOST_NODES = 4096

app = App(name="shortest-paths")


@dataclass(frozen=True)
class _Weights:
    """The weight matrix in integers: ``scale`` times the graph's weights; infinity is the semiring's zero."""

    matrix: np.ndarray
    scale: int
    infinity: int


@app.default
def shortest_paths(
    *,
    graph: Annotated[str, Parameter(help=f"{' or '.join(NAMED)}, or a file of edges: source, target, weight.")] = "karate",
    directed: Annotated[bool, Parameter(negative="", help="Edges of the file go one way only.")] = False,
    source: Annotated[str | None, Parameter(help="Show the distance from this node ...")] = None,
    target: Annotated[str | None, Parameter(help="... to this one.")] = None,
    rows: Annotated[int, integer_option("Height of the array, 1 to 256 processing elements.")] = 8,
    cols: Annotated[int, integer_option("Width of the array, 1 to 256 processing elements.")] = 8,
    width: Annotated[int, integer_option("Size of a distance, 2 to 32 bits.")] = 16,
    seed: Seed = 0,
    verilator: VerilatorPath = None,
    json: JsonFile = None,
) -> int:
    """All-pairs shortest paths of a graph on the systolic array, checked against SciPy."""
    if (source is None) != (target is None):
        raise BadInput("--source and --target go together: the distance is between two nodes")
    loaded = load_graph(graph, directed=directed)
    pair = (_node(loaded, source), _node(loaded, target)) if source is not None and target is not None else None
    n = len(loaded.nodes)
    if n > _MOST_NODES:
        raise BadInput(f"{loaded.name} has {n} nodes, and {_MOST_NODES} are the most")
    try:
        params = SystolicParams(rows=rows, cols=cols, semiring="min-plus", width=width, depth=max(n, 1), pe="compact")
    except ValueError as error:
        raise BadInput(str(error)) from error
    weights = _weights(loaded, width)
    arrow = "->" if loaded.directed else "-"
    kind = "directed" if loaded.directed else "undirected"
    print(f"graph     {loaded.name}: {n} nodes, {len(loaded.edges)} edges, {kind}; seed {seed}")
    print(f"weights   scaled by {weights.scale} to integers of {width} bits, largest finite {weights.infinity - 1}")
    print(f"array     {rows} x {cols} processing elements, min-plus, on Verilator", flush=True)

    squarings = max(1, (n - 2).bit_length())  # ceil(log2(n - 1)) for n of 3 or more
    tiles = squarings * -(-n // rows) * -(-n // cols)
    with SystolicEngine(params, Tools.find(verilator)) as engine, Progress("tiles", tiles) as progress:
        distances = weights.matrix
        for _ in range(squarings):
            distances = engine.product(distances, distances, progress.update)
        cycles, tiles_done = engine.cycles, engine.tiles
    _check_saturation(loaded, weights, distances, width)
    reached = distances < weights.infinity
    print(f"work      {squarings} squarings, {tiles_done} tiles of {rows} x {cols} x {n}, {cycles} cycles")

    far = np.unravel_index(np.where(reached, distances, -1).argmax(), distances.shape)
    farthest = {
        "source": loaded.nodes[far[0]], "target": loaded.nodes[far[1]], "distance": str(_unscaled(distances[far], weights)),
    }  # fmt: skip
    print(f"farthest  {farthest['source']} {arrow} {farthest['target']}, path length {farthest['distance']}")
    unreachable = int((~reached).sum())
    if unreachable:
        print(f"          {unreachable} ordered pairs have no path")
    if pair:
        length = _unscaled(distances[pair], weights) if reached[pair] else "no path"
        print(f"asked     {loaded.nodes[pair[0]]} {arrow} {loaded.nodes[pair[1]]}, path length {length}")

    difference = _first_difference(weights, distances)
    write_json(json, {
        "workload": "shortest-paths", "graph": loaded.name, "nodes": n, "edges": len(loaded.edges), "seed": seed,
        "scale": weights.scale, "parameters": params.as_dict(), "squarings": squarings, "tiles": tiles_done, "cycles": cycles,
        "farthest": farthest, "unreachable_pairs": unreachable, "passed": difference is None,
    })  # fmt: skip
    if difference:
        i, j, expected = difference
        raise Mismatch(
            f"FAIL: the distance {loaded.nodes[i]} {arrow} {loaded.nodes[j]} is {_shown(distances[i, j], weights)} "
            f"on the hardware and {_shown(expected, weights)} by SciPy"
        )
    print(f"PASS      all {n * n} distances equal SciPy's")
    return 0


def _node(graph: Graph, name: str) -> int:
    if name in graph.nodes:
        return graph.nodes.index(name)
    near = difflib.get_close_matches(name, graph.nodes, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise BadInput(f"{graph.name} has no node {name!r}{hint}")


def _weights(graph: Graph, width: int) -> _Weights:
    """The matrix to square; refuses negative weights, and weights that do not fit."""
    _refuse_negative(graph)
    scale = 10 ** max(0, *(-int(edge.weight.as_tuple().exponent) for edge in graph.edges), 0)
    infinity = SEMIRINGS["min-plus"].zero(width)
    n = len(graph.nodes)
    matrix = np.full((n, n), infinity, np.int64)
    np.fill_diagonal(matrix, 0)
    for edge in graph.edges:
        weight = int(edge.weight * scale)
        if weight >= infinity:
            needed = (weight + 1).bit_length() + 1
            way_out = f"use --width {needed}" if needed <= 32 else "no width holds it: give the weights fewer digits"
            raise BadInput(
                f"{edge.where} has the weight {edge.weight}, which is {weight} at scale {scale}, "
                f"and {width} bits hold at most {infinity - 1}: {way_out}"
            )
        matrix[edge.source, edge.target] = min(matrix[edge.source, edge.target], weight)
        if not graph.directed:
            matrix[edge.target, edge.source] = min(matrix[edge.target, edge.source], weight)
    return _Weights(matrix, scale, infinity)


def _refuse_negative(graph: Graph) -> None:
    negative = next((edge for edge in graph.edges if edge.weight < 0), None)
    if negative is None:
        return
    import networkx

    made = networkx.DiGraph()
    for edge in graph.edges:
        for u, v in ((edge.source, edge.target), (edge.target, edge.source))[: 1 if graph.directed else 2]:
            if not made.has_edge(u, v) or made[u][v]["weight"] > edge.weight:
                made.add_edge(u, v, weight=edge.weight)
    try:
        cycle = networkx.find_negative_cycle(made, negative.source)
    except networkx.NetworkXError:
        raise BadInput(f"{negative.where} has the weight {negative.weight}; weights must be 0 or more") from None
    around = " -> ".join(graph.nodes[node] for node in cycle)
    raise BadInput(f"{negative.where} has the weight {negative.weight}, and {around} is a negative cycle: no path is shortest")


def _check_saturation(graph, weights, distances, width) -> None:
    """Sums saturate at the largest finite value, so a distance below it is exact, and one that equals it may be larger."""
    if (distances == weights.infinity - 1).any():
        i, j = np.argwhere(distances == weights.infinity - 1)[0]
        raise BadInput(
            f"the distance from {graph.nodes[i]} to {graph.nodes[j]} does not fit {width} bits at scale {weights.scale}: "
            f"use a larger --width, up to 32, or weights with fewer digits"
        )


def _first_difference(weights, distances):
    """Node indices and SciPy's distance where it differs from ours, or None."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    source, target = np.nonzero((weights.matrix < weights.infinity) & ~np.eye(len(distances), dtype=bool))
    # Sparse, because a dense graph would take an edge of weight 0 for none.
    edges = csr_array((weights.matrix[source, target].astype(float), (source, target)), shape=distances.shape)
    reference = shortest_path(edges, method="D")
    expected = np.where(np.isinf(reference), weights.infinity, reference).astype(np.int64)
    wrong = np.argwhere(expected != distances)
    return (*wrong[0], expected[tuple(wrong[0])]) if len(wrong) else None


def _unscaled(distance, weights: _Weights) -> Decimal:
    return Decimal(int(distance)) / weights.scale


def _shown(distance, weights: _Weights) -> str:
    return "infinite" if distance == weights.infinity else str(_unscaled(distance, weights))
