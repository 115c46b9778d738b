# SPDX-License-Identifier: Apache-2.0
"""Parameters that describe and check themselves.

A unit's parameters are a frozen dataclass whose fields are made by `integer`, `choice` and `flag`. Range, unit and help text
are written once, there: the check at construction, the command line's options and the docs all read them from the field.
"""

import dataclasses
import operator
from dataclasses import dataclass

__all__ = ["Parameters", "choice", "describe", "flag", "integer"]


def integer(default: int, low: int, high: int, text: str, *, unit: str = ""):
    """A field that holds an integer in ``[low, high]``; ``unit`` is what it counts (bits, cycles, ...), if anything."""
    return dataclasses.field(default=default, metadata={"range": (low, high), "unit": unit, "text": text})


def choice(default: str, options: tuple[str, ...], text: str):
    """A field that holds one of the strings in ``options``."""
    return dataclasses.field(default=default, metadata={"options": options, "text": text})


def flag(default: bool, text: str):
    """A field that holds True or False."""
    return dataclasses.field(default=default, metadata={"flag": True, "text": text})


def describe(field: dataclasses.Field) -> str:
    """The field's help text with its unit and allowed range, as one line."""
    meta = field.metadata
    if "options" in meta:
        return f"{meta['text']}: {' | '.join(meta['options'])}."
    if "flag" in meta:
        return f"{meta['text']}."
    low, high = meta["range"]
    unit = f" {meta['unit']}" if meta["unit"] else ""
    return f"{meta['text']}, {low} to {high}{unit}."


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base of every unit's parameters; a subclass adds fields, and checks between fields after ``super().__post_init__()``.

    Raises
    ------
    TypeError
        If a value is not of its field's type.
    ValueError
        If a value is outside its field's range or options.
    """

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            check = next((check for key, check in _CHECKS.items() if key in field.metadata), _checked_integer)
            object.__setattr__(self, field.name, check(field, value))

    def as_dict(self) -> dict[str, int | str | bool]:
        """Field names and values, in declared order."""
        return dataclasses.asdict(self)


def _checked_choice(field, value) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{field.name} must be one of {', '.join(field.metadata['options'])}, not {value!r}")
    if value not in field.metadata["options"]:
        raise ValueError(f"{field.name} must be one of {', '.join(field.metadata['options'])}, not {value!r}")
    return value


def _checked_flag(field, value) -> bool:
    if value is not True and value is not False:
        raise TypeError(f"{field.name} must be True or False, not {value!r}")
    return value


_CHECKS = {"options": _checked_choice, "flag": _checked_flag}


def _checked_integer(field, value) -> int:
    low, high = field.metadata["range"]
    unit = f" {field.metadata['unit']}" if field.metadata["unit"] else ""
    sentence = f"{field.name} must be an integer from {low} to {high}{unit}, not {value!r}"
    if isinstance(value, bool):
        raise TypeError(sentence)
    try:
        value = operator.index(value)  # admits NumPy's integers, not floats
    except TypeError:
        raise TypeError(sentence) from None
    if not low <= value <= high:
        raise ValueError(sentence)
    return value
