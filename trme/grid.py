# SPDX-License-Identifier: Apache-2.0
"""Grids: which values of what a sweep goes through, from the words of a command line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from itertools import product
from typing import Any

from golden.parameters import Parameters
from synth.devices import find_device
from synth.flow import check_strategy
from toolchain.errors import BadInput
from trme.catalog import Unit

__all__ = ["LARGEST_COPIES", "MOST_POINTS", "Choice", "Grid", "Value", "combinations", "parse_grid"]

Value = int | str | bool
Grid = dict[str, list[Value]]
"""Values by the name of a unit's parameter, or of an option of the flow."""

MOST_POINTS = 10_000
"""Of a grid, and so of each of its axes."""
LARGEST_COPIES = 256
_RANGE = re.compile(r"([+-]?\d{1,18})\.\.([+-]?\d{1,18})(?::(\d{1,18}))?", re.ASCII)
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Choice:
    """A unit, and those of its parameters that are ``given``, which need not fit together yet.

    Raises
    ------
    TypeError, ValueError
        If one of them is wrong on its own.
    """

    unit: Unit
    given: dict[str, Value]

    def __post_init__(self):
        for name, value in self.given.items():
            _check_alone(self.unit.load("parameters"), name, value)


def parse_grid(words: Sequence[str], unit: Unit) -> Grid:
    """Read ``NAME=VALUE,VALUE,...``, each word an axis; integers also as ``LOW..HIGH`` and ``LOW..HIGH:STEP``, ends included.

    Parameters
    ----------
    words : sequence of str
    unit : Unit
        Whose parameters, besides ``device``, ``strategy``, ``streams`` and ``copies``, are the names.

    Returns
    -------
    Grid
        Each value once, in the order given.

    Raises
    ------
    BadInput
        If a word has not this form, a name is unknown or named twice, or a value is wrong on its own.

    Examples
    --------
    >>> from trme.catalog import find
    >>> parse_grid(["modulus=251,253..255", "streams=true,false"], find("modmul"))
    {'modulus': [251, 253, 254, 255], 'streams': [True, False]}
    """
    axes = _axes(unit)
    grid: Grid = {}
    for word in words:
        name, equals, texts = word.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not texts.strip():
            raise BadInput(f"--grid {word!r} must be NAME=VALUE,VALUE,... such as {next(iter(axes))}=...")
        if name not in axes:
            near = get_close_matches(name, axes, n=1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise BadInput(f"--grid names {name!r}, which is not an axis of {unit.name}: {meant}the axes are {', '.join(axes)}")
        if name in grid:
            raise BadInput(
                f"--grid names {name} twice: put all its values into one, {name}={','.join(map(str, grid[name]))},..."
            )
        values = [value for text in texts.split(",") for value in axes[name](name, text.strip())]
        grid[name] = list(dict.fromkeys(values))
    n_points = 1
    for values in grid.values():
        n_points *= len(values)
    if n_points > MOST_POINTS:
        raise BadInput(
            f"the grid has {n_points} points, and {MOST_POINTS} is the most: leave out values, or make sweeps of parts"
        )
    return grid


def combinations(grid: Grid) -> list[dict[str, Value]]:
    """All points of a grid; the last axis changes fastest."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


Reader = Callable[[str, str], list]


def _axes(unit: Unit) -> dict[str, Reader]:
    """For each name what turns one text into values, and refuses those that are wrong on their own."""
    parameters = unit.load("parameters")
    axes = {field.name: _parameter_reader(parameters, field) for field in fields(parameters)}
    return axes | {"device": _devices, "strategy": _strategies, "streams": _flags, "copies": _copies}


def _parameter_reader(parameters: type[Parameters], field: Field) -> Reader:
    read = _flags if "flag" in field.metadata else _texts if "options" in field.metadata else _integers

    def values(name: str, text: str) -> list:
        found = read(name, text)
        for value in (found[0], found[-1]):  # the ends of a range stand for what is between
            try:
                _check_alone(parameters, name, value)
            except (TypeError, ValueError) as error:
                raise BadInput(f"--grid: {error}") from None
        return found

    return values


def _check_alone(parameters: type[Parameters], name: str, value: Any) -> None:
    """The checks of one field, without those between fields: a combination that cannot be is found at its point."""
    probe = object.__new__(parameters)
    for field in fields(parameters):
        object.__setattr__(probe, field.name, value if field.name == name else field.default)
    Parameters.__post_init__(probe)


def _texts(name: str, text: str) -> list[str]:
    return [text]


def _flags(name: str, text: str) -> list[bool]:
    if text not in _FLAGS:
        raise BadInput(f"--grid {name} must be true or false, not {text!r}")
    return [_FLAGS[text]]


def _integers(name: str, text: str) -> list[int]:
    if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
        return [int(text)]
    match = _RANGE.fullmatch(text)
    if not match:
        raise BadInput(f"--grid {name} must have integers, or ranges as 200..255 or 200..255:5, not {text!r}")
    low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if high < low or step < 1:
        raise BadInput(f"--grid {name}={text} is empty: a range goes from low to high, by steps of 1 or more")
    values = range(low, high + 1, step)
    if len(values) > MOST_POINTS:
        raise BadInput(f"--grid {name}={text} has {len(values)} values, and {MOST_POINTS} is the most: take a larger step")
    return list(values)


def _copies(name: str, text: str) -> list[int]:
    found = _integers(name, text)
    for value in (found[0], found[-1]):
        if not 1 <= value <= LARGEST_COPIES:
            raise BadInput(f"--grid {name} must be from 1 to {LARGEST_COPIES}, not {value}")
    return found


def _devices(name: str, text: str) -> list[str]:
    return [find_device(text).name]


def _strategies(name: str, text: str) -> list[str]:
    return [check_strategy(text)]
