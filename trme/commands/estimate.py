# SPDX-License-Identifier: Apache-2.0
"""``trme estimate``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from synth.devices import find_device
from synth.flow import check_strategy
from toolchain.errors import BadInput
from trme.design import Design
from trme.features import describe, generator_hash
from trme.grid import LARGEST_COPIES
from trme.model import MODELS, TARGETS, Estimate, Model, Part, model_path
from trme.options import OPTIONS, JsonFile, Seed, integer_option, unit_commands, write_json
from trme.table import table

app = App(name="estimate", group_parameters=OPTIONS)


def estimate(
    design: Design,
    *,
    device: Annotated[str, Parameter(help="Device, as 'trme devices' lists them.")] = "ecp5-25k-8",
    strategy: Annotated[str, Parameter(help="How the tools try, as in trme synth.")] = "default",
    streams: Annotated[
        bool, Parameter(negative="", help="The unit with its stream wrapper, not the free-running core.")
    ] = False,
    copies: Annotated[int, integer_option("Instances side by side, 1 to 256.")] = 1,
    fit: Annotated[
        list[Path] | None,
        Parameter(
            help="Estimate nothing, but fit the unit's model to what trme sweep --json wrote; may be repeated.", negative=""
        ),
    ] = None,
    models: Annotated[
        Path, Parameter(help="Folder of the fitted models. Default: those that come with the workbench.", show_default=False)
    ] = MODELS,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Timing and area of a unit from its fitted model."""
    if fit:
        return _fit(design.unit.name, fit, models, seed, json)
    if not 1 <= copies <= LARGEST_COPIES:
        raise BadInput(f"--copies must be from 1 to {LARGEST_COPIES}, not {copies}")
    family = find_device(device).family.name
    subject = describe(design.unit.name, design.params.as_dict(), device, check_strategy(strategy), streams, copies)
    path = model_path(models, design.unit.name, family)
    if not path.exists():
        raise BadInput(
            f"there is no estimate of {design.unit.name} on {family} in {models}; 'trme sweep {design.unit.name} "
            f"--device {device} --grid NAME=LOW..HIGH --json FILE' and then 'trme estimate {design.unit.name} --fit FILE' help"
        )
    part = Model.read(path).part(subject.words, subject.sizes)
    found = part.estimate(subject.numbers)
    is_changed = part.sources != generator_hash(design.unit.name)
    core = "with streams" if streams else "free-running core"
    print(f"{design.unit.name} {design.configuration}, {core}, {device}\nseed {seed}\n")
    print(_table(part, found))
    print(_origin(design.unit.family, part, is_changed))
    write_json(json, {
        "unit": design.unit.name, "parameters": design.params.as_dict(), "seed": seed, "device": device, "strategy": strategy,
        "streams": streams, "copies": copies,
        "estimates": {column: asdict(value) for column, value in found.items()},
        "held_out_errors": {
            column: {"median": target.median_error, "nine_tenths": target.worst_error}
            for column, target in part.targets.items()
        },
        "points": part.n_points, "seeds": part.n_seeds, "ranges": part.ranges, "tool_versions": part.tool_versions,
        "sweeps": part.commands, "generator_changed_since": is_changed,
    })  # fmt: skip
    return 0


def _table(part: Part, found: dict[str, Estimate]) -> str:
    rows = []
    for column, value in found.items():
        say = "{:.0f} MHz".format if column == "fmax_median_mhz" else "{:.0f}".format
        target = part.targets[column]
        errors = [f"{target.median_error:.1%}", f"{target.worst_error:.1%}"]
        rows.append([TARGETS[column], say(value.value), f"{say(value.low)} to {say(value.high)}", *errors])
    head = ["", "estimate", "8 of 10 lie within", "median error", "9 of 10 below"]
    return table(head, rows, right=head[1:])


def _origin(family: str, part: Part, is_changed: bool) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in part.tool_versions.items())
    seeds = f", {part.n_seeds} seed{'s' if part.n_seeds > 1 else ''} each" if part.n_seeds else ""
    lines = [
        "",
        f"fitted to {part.n_points} measured points{seeds}, {tools}",
        "errors are those of points held out: five times a fifth, not looked at when the kind of model was chosen and fitted",
    ]
    if is_changed:
        lines.append(f"caution   golden/{family}.py or hdl/{family}.py has changed since: sweep and fit again")
    return "\n".join(lines)


def _fit(unit: str, files: list[Path], folder: Path, seed: int, json: Path | None) -> int:
    from trme.fit import fit

    written, rows = {}, []
    for model in fit(unit, files):
        path = model_path(folder, unit, model.family)
        merged = Model.read(path).renewed(model) if path.exists() else model
        merged.write(path)
        written[model.family] = str(path)
        for part in model.parts:
            words = " ".join(
                word if word not in ("true", "false") else name for name, word in part.words.items() if word != "false"
            )
            for column, target in part.targets.items():
                kind = type(target.formula).__name__.lower()
                errors = [f"{target.median_error:.1%}", f"{target.worst_error:.1%}"]
                rows.append([words, str(part.n_points), TARGETS[column], kind, *errors])
    head = ["part", "points", "", "model", "median error held out", "9 of 10 below"]
    print(table(head, rows, right=["points", *head[4:]]))
    print("\n".join(["", *(f"written   {path}" for path in written.values())]))
    names = ["part", "points", "target", "model", "median_error", "nine_tenths_error"]
    write_json(
        json, {"unit": unit, "seed": seed, "written": written, "fits": [dict(zip(names, row, strict=True)) for row in rows]}
    )
    return 0


unit_commands(app, estimate)
