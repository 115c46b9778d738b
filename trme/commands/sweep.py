# SPDX-License-Identifier: Apache-2.0
"""``trme sweep``."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from synth.devices import find_device
from synth.flow import STRATEGIES, check_strategy
from toolchain.errors import BadInput, ToolMissing
from trme import sweep as sweeps
from trme.features import generator_hash
from trme.grid import LARGEST_COPIES, Choice, Grid, parse_grid
from trme.options import OPTIONS, JsonFile, Seed, integer_option, unit_commands, write_json
from trme.point import MEASURES, Point, tool_versions
from trme.progress import Progress
from trme.sweep_plots import Picture, draw
from trme.sweep_tables import FORMATS, point_rows, points_table, seeds_table, write_table
from trme.table import table

app = App(name="sweep", group_parameters=OPTIONS)

_MOST_SEEDS = 1000
_MOST_JOBS = 1024
_LARGEST_TARGET_MHZ = 2000.0
_MOST_SHOWN = 24


def sweep_unit(
    choice: Choice,
    *,
    grid: Annotated[
        list[str] | None,
        Parameter(
            help="Values to go through, NAME=251,253 or NAME=200..255:5, of a parameter or of device, strategy, streams, "
            "copies; "
            "may be repeated.",
            negative="",
        ),
    ] = None,
    measure: Annotated[str, Parameter(help=f"What to measure: {','.join(MEASURES)}.")] = "fmax,lut,ff,dsp,bram,latency",
    device: Annotated[str, Parameter(help="Device, as 'trme devices' lists them.")] = "ecp5-25k-8",
    freq: Annotated[float | None, Parameter(help="Target in MHz. Default: aim high, judge nothing.")] = None,
    seeds: Annotated[int, integer_option("Place and route each point with so many seeds, 1 to 1000.")] = 3,
    strategy: Annotated[str, Parameter(help=f"How the tools try: {' | '.join(STRATEGIES)}.")] = "default",
    streams: Annotated[
        bool, Parameter(negative="", help="The unit with its stream wrapper, not the free-running core.")
    ] = False,
    copies: Annotated[int, integer_option("Instances side by side, 1 to 256.")] = 1,
    jobs: Annotated[int | None, integer_option("Processes at a time. Default: as many as there are cores.")] = None,
    scheduler: Annotated[str | None, Parameter(help="Dask scheduler whose workers measure, such as tcp://host:8786.")] = None,
    native: Annotated[bool, Parameter(negative="", help="Yosys and nextpnr from PATH, not the Python packages'.")] = False,
    format: Annotated[str, Parameter(help=f"Of the tables: {' | '.join(FORMATS)}.")] = "csv",
    plots: Annotated[bool, Parameter(help="Draw plots.")] = True,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Folder for journal, tables and plots. Default: build/sweep/UNIT.")
    ] = None,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Measure a unit at all points of a grid."""
    if not 1 <= seeds <= _MOST_SEEDS:
        raise BadInput(f"--seeds must be from 1 to {_MOST_SEEDS}, not {seeds}")
    if not 1 <= copies <= LARGEST_COPIES:
        raise BadInput(f"--copies must be from 1 to {LARGEST_COPIES}, not {copies}")
    if jobs is not None and not 1 <= jobs <= _MOST_JOBS:
        raise BadInput(f"--jobs must be from 1 to {_MOST_JOBS}, not {jobs}")
    if freq is not None and not 1 <= freq <= _LARGEST_TARGET_MHZ:
        raise BadInput(f"--freq must be from 1 to {_LARGEST_TARGET_MHZ:g} MHz, not {freq:g}")
    if format not in FORMATS:
        raise BadInput(f"--format must be one of {', '.join(FORMATS)}, not {format!r}")
    _check_packages(format, plots)
    axes = parse_grid(grid or [], choice.unit)
    both = [name for name in axes if name in choice.given]
    if both:
        raise BadInput(f"{both[0]} is given by itself and in --grid: leave out --{both[0].replace('_', '-')}")
    base = Point(
        choice.unit.name, {}, find_device(device).name, check_strategy(strategy), streams, copies, freq,
        tuple(range(seed + 1, seed + 1 + seeds)), _measures(measure), native,
    )  # fmt: skip
    points = sweeps.make_points(choice.unit, choice.given, axes, base)
    versions = tool_versions({point.device for point in points}, base.measures, native)
    folder = output or Path("build/sweep") / choice.unit.name
    each = f", {seeds} seed{'s' if seeds > 1 else ''} each" if any(MEASURES[name].needs_place for name in base.measures) else ""
    print(f"{choice.unit.name}  {_say_grid(axes)}, {len(points)} point{'s' if len(points) > 1 else ''}{each}\nseed {seed}")
    sys.stdout.flush()
    with Progress("points", len(points)) as progress:
        found = sweeps.run(points, folder, jobs=jobs, scheduler=scheduler, progress=progress.update)
    rows = point_rows(found)
    files = [write_table(points_table(found), folder, "points", format)]
    if any(row["attempts"] for row in found.rows):
        files.append(write_table(seeds_table(found), folder, "seeds", format))
    result = {
        "unit": choice.unit.name, "command": _command(choice, axes, base, seed), "seed": seed,
        "grid": axes, "fixed": choice.given, "measures": list(base.measures), "target_mhz": freq, "tool_versions": versions,
        "generator": generator_hash(choice.unit.name),
        "points": [
            row | {"parameters": point.parameters, "attempts": raw["attempts"]}
            for row, point, raw in zip(rows, points, found.rows, strict=True)
        ],
    }  # fmt: skip
    files.append(folder / "sweep.json")
    write_json(files[-1], result)
    if plots:
        files += draw(_picture(found, axes, rows, versions), folder)
    print(_report(found, rows, base.measures, axes))
    print("\n".join(f"written   {path}" for path in files if path.suffix != ".svg"))
    write_json(json, result)
    return 1 if found.failures else 0


def _measures(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in MEASURES:
            raise BadInput(f"--measure {name!r} is not known: choose of {', '.join(MEASURES)}, with commas between")
    return sweeps.canonical(names)


def _check_packages(form: str, draws: bool) -> None:
    """Better now than after hours."""
    needed = [
        "distributed",
        "psutil",
        "pandas",
        *(["pyarrow"] if form == "parquet" else []),
        *(["matplotlib"] if draws else []),
    ]
    for name in needed:
        if find_spec(name) is None:
            raise ToolMissing(f"the Python package {name} is missing, which a sweep needs: make setup EXTRAS=synth")


def _command(choice: Choice, grid: Grid, base: Point, seed: int) -> str:
    """The command line that does this again, defaults spelled out."""
    words = ["trme", "sweep", choice.unit.name]
    for name, value in choice.given.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    for name, values in grid.items():
        words += ["--grid", f"{name}={','.join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)}"]
    words += ["--measure", ",".join(base.measures), "--device", base.device, "--strategy", base.strategy]
    words += ["--seeds", str(len(base.seeds)), "--seed", str(seed), "--copies", str(base.copies)]
    words += ["--streams"] if base.streams else []
    words += ["--freq", f"{base.target_mhz:g}"] if base.target_mhz else []
    return shlex.join(words)


def _say_grid(grid: Grid) -> str:
    return " x ".join(f"{len(values)} {name}" for name, values in grid.items()) or "no grid"


def _picture(found: sweeps.Sweep, grid: Grid, rows: list[dict[str, Any]], versions: dict[str, str]) -> Picture:
    first = found.points[0]
    fixed = [f"{name} {value}" for name, value in first.parameters.items() if name not in grid and value is not False]
    flow = [] if "device" in grid else [first.device]
    flow += [name for name in ("streams",) if first.streams and name not in grid]
    if "fmax" in first.measures:
        flow.append(f"{len(first.seeds)} seed{'s' if len(first.seeds) > 1 else ''}")
        flow.append(f"target {first.target_mhz:g} MHz" if first.target_mhz else "no target")
    tools = [f"{name} {version}" for name, version in versions.items()]
    attempts = [[a["fmax_mhz"] for a in row["attempts"] if a["fmax_mhz"] is not None] for row in found.rows]
    return Picture(first.unit, ", ".join([*fixed, *flow, *tools]), grid, first.measures, rows, attempts)


def _report(found: sweeps.Sweep, rows: list[dict[str, Any]], measures: tuple[str, ...], grid: Grid) -> str:
    """The Pareto front, and what failed."""
    front = [row for row in rows if row["pareto"]]
    columns = [*grid, *(MEASURES[name].columns[0] for name in measures)]
    column = MEASURES[measures[0]].columns[0]
    front.sort(key=lambda row: row[column], reverse=MEASURES[measures[0]].is_larger_better)
    lines = [
        f"{len(rows)} points, {found.n_kept} of them known before, {len(found.failures)} failed; Pareto front: {len(front)}"
    ]
    if front:
        shown = [[_say(row[name]) for name in columns] for row in front[:_MOST_SHOWN]]
        lines += ["", table(columns, shown, right=columns[len(grid) :])]
    if len(front) > _MOST_SHOWN:
        lines.append(f"and {len(front) - _MOST_SHOWN} more, marked in the table of points")
    for point, sentence in found.failures[:_MOST_SHOWN]:
        values = {**point.parameters, "device": point.device, "strategy": point.strategy}
        where = " ".join(f"{name}={values[name]}" for name in grid if name in values) or point.unit
        lines.append(f"failed    {where}: {sentence}")
    if len(found.failures) > _MOST_SHOWN:
        lines.append(f"and {len(found.failures) - _MOST_SHOWN} more failures, in the table of points")
    return "\n".join([*lines, ""])


def _say(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


unit_commands(app, sweep_unit, subject=Choice)
