# SPDX-License-Identifier: Apache-2.0
"""What an estimate knows of a point: words and numbers that cost milliseconds, found in any unit's parameters.

Numbers are the integers among the parameters, all that their properties derive from them, and the pipeline's latency.
Nothing is emitted, and no unit is known by name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from toolchain.errors import BadInput
from toolchain.store import content_key
from trme.catalog import find
from trme.grid import Value

__all__ = ["Subject", "describe", "generator_hash", "numbers"]

_DEEPEST = 3
_SKIPPED = "zero", "one"
"""Properties that are values of data, not sizes of hardware."""


@dataclass(frozen=True)
class Subject:
    """A point as an estimate sees it.

    Parameters
    ----------
    words : dict of str to str
        What is chosen, not counted: choices and flags among the parameters, device, strategy, streams.
    sizes : dict of str to int
        The integers among the parameters, and the number of copies.
    numbers : dict of str to float
        The sizes, and all that follows from them.
    """

    words: dict[str, str]
    sizes: dict[str, int]
    numbers: dict[str, float]


def describe(unit: str, parameters: dict[str, Value], device: str, strategy: str, streams: bool, copies: int) -> Subject:
    """What there is to know of a point.

    Raises
    ------
    BadInput
        If the parameters do not fit together.
    """
    known = find(unit)
    try:
        params = known.load("parameters")(**parameters)
    except (TypeError, ValueError) as error:
        raise BadInput(str(error)) from error
    values = params.as_dict()
    counted = {name: value for name, value in values.items() if isinstance(value, int) and not isinstance(value, bool)}
    words = {name: _word(value) for name, value in values.items() if name not in counted}
    words |= {"device": device, "strategy": strategy, "streams": _word(streams)}
    sizes = counted | {"copies": copies}
    component = known.load("component")(params)
    timing = {"latency": component.latency, "initiation_interval": component.initiation_interval}
    found = {name: float(value) for name, value in {**dict(numbers(params)), **sizes, **timing}.items()}
    return Subject(words, sizes, found)


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def numbers(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, int]]:
    """Names and numbers in an object: integers and flags; the fields and properties of its dataclasses; of a tuple the length,
    and how many integers are in it, how many of them differ from zero and how many bits are one.

    Examples
    --------
    >>> dict(numbers(((1, 6), (0, 3)), "tables"))
    {'tables.length': 2, 'tables.integers': 4, 'tables.nonzero': 3, 'tables.ones': 5}
    """
    if isinstance(value, int):
        yield name, int(value)
    elif isinstance(value, tuple) and value:
        leaves = list(_integers(value))
        yield f"{name}.length", len(value)
        yield f"{name}.integers", len(leaves)
        yield f"{name}.nonzero", sum(leaf != 0 for leaf in leaves)
        yield f"{name}.ones", sum(abs(leaf).bit_count() for leaf in leaves)
    elif is_dataclass(value) and depth < _DEEPEST:
        for inner in _members(value):
            yield from numbers(getattr(value, inner), f"{name}.{inner}" if name else inner, depth + 1)


def _members(value: Any) -> list[str]:
    """Public fields and properties of a dataclass."""
    properties = [
        name for kind in type(value).__mro__ for name, member in vars(kind).items()
        if isinstance(member, property) or type(member).__name__ == "cached_property"
    ]  # fmt: skip
    names = dict.fromkeys([*(field.name for field in fields(value)), *properties])
    return [name for name in names if not name.startswith("_") and name not in _SKIPPED]


def _integers(value: Any) -> Iterator[int]:
    """All integers inside of tuples and dataclasses."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _integers(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _integers(getattr(value, field.name))


def generator_hash(unit: str) -> str:
    """A hash of the unit's own sources, by which an estimate tells that they have changed since its sweep."""
    root, family = Path(__file__).resolve().parent.parent, find(unit).family
    return content_key(*((root / folder / f"{family}.py").read_bytes() for folder in ("golden", "hdl")))
