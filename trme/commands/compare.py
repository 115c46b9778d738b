# SPDX-License-Identifier: Apache-2.0
"""``trme compare``."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from toolchain.errors import BadInput, ToolFailed
from toolchain.verilator import Tools
from trme.compare import Comparison, compare
from trme.design import Design
from trme.options import OPTIONS, JsonFile, Seed, VerilatorPath, integer_option, unit_commands, write_json
from trme.progress import Progress

app = App(name="compare", group_parameters=OPTIONS)

_MOST_VECTORS = 10**9
_SHOWN_INPUTS = 6


def compare_unit(
    design: Design,
    *,
    vectors: Annotated[str, Parameter(help="Transfers on the input: 1 to 1000000000, or 'all' possible ones.")] = "100000",
    start: Annotated[int, integer_option("Index of the first vector in the seed's sequence, 0 or more.")] = 0,
    stall: Annotated[float, Parameter(help="Chance that a stream pauses in a cycle, on both sides, 0 to 0.99.")] = 0.0,
    verilog: Annotated[
        Path | None, Parameter(help="Compare the Verilog in this file, with the ports of the unit, not what is generated.")
    ] = None,
    seed: Seed = 0,
    verilator: VerilatorPath = None,
    json: JsonFile = None,
) -> int:
    """Compare a unit's RTL with its golden model."""
    n_vectors = _vectors(vectors)
    if start < 0:
        raise BadInput(f"--start must be 0 or more, not {start}")
    if not 0 <= stall <= 0.99:
        raise BadInput(f"--stall must be from 0 to 0.99, not {stall}")
    text = _read(verilog) if verilog else None
    print(f"{design.unit.name} {design.configuration}\nseed {seed}")
    sys.stdout.flush()
    tools = Tools.find(verilator)
    with Progress("vectors", n_vectors) as progress:
        try:
            outcome = compare(
                design, vectors=n_vectors, start=start, seed=seed, stall=stall,
                verilog=text, verilog_path=str(verilog) if verilog else "", tools=tools, progress=progress.update,
            )  # fmt: skip
        except ToolFailed as error:
            raise (BadInput(f"--verilog {verilog} does not build: {error}") if verilog else error) from error
    _print(design, outcome)
    write_json(json, {
        "unit": design.unit.name,
        "parameters": design.params.as_dict(),
        "seed": seed,
        "vectors": outcome.vectors,
        "mismatches": outcome.mismatches,
        "first_divergence": asdict(outcome.first_divergence) if outcome.first_divergence else None,
        "cycles": outcome.cycles,
        "cycles_per_second": outcome.cycles_per_second,
        "build_s": outcome.build_s,
        "cache_hit": outcome.cache_hit,
    })  # fmt: skip
    return 1 if outcome.first_divergence else 0


def _vectors(text: str) -> int | None:
    if text == "all":
        return None
    try:
        n = int(text)
    except ValueError:
        n = 0
    if not 1 <= n <= _MOST_VECTORS:
        raise BadInput(f"--vectors must be an integer from 1 to {_MOST_VECTORS}, or 'all', not {text!r}")
    return n


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read --verilog {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from error


def _print(design: Design, outcome: Comparison) -> None:
    build = "taken from the cache" if outcome.cache_hit else f"built in {outcome.build_s:.1f} s"
    print(f"model {build}; {outcome.cycles} cycles at {outcome.cycles_per_second:,.0f} cycles/s")
    if outcome.first_divergence is None:
        print(f"PASS  {outcome.vectors} vectors, {outcome.outputs} results, 0 mismatches")
        return
    d = outcome.first_divergence
    print(f"FAIL  {outcome.mismatches} mismatches in the first {outcome.vectors} vectors; the first:")
    where = f"cycle {d.cycle}" if d.cycle is not None else "never came"
    print(f"  result   {d.index}, {where}: {d.reason}")
    print(f"  inputs   vectors {d.vectors[0]} to {d.vectors[1]}" if len(d.inputs) > 1 else f"  inputs   vector {d.vectors[0]}")
    for item in d.inputs[:_SHOWN_INPUTS]:
        print(f"           {_show(design, item)}")
    if len(d.inputs) > _SHOWN_INPUTS:
        print(f"           and {len(d.inputs) - _SHOWN_INPUTS} more, all in --json")
    print(f"  expected {_show(design, d.expected)}")
    print(f"  actual   {_show(design, d.actual)}")
    print(f"  again    {d.command}")


def _show(design, value, field: str = "") -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "  ".join(f"{name} = {_show(design, item, name)}" for name, item in value.items())
        case list():
            return "[" + " ".join(_show(design, item, field) for item in value) + "]"
        case _:
            return design.stimuli.show(field, value)


unit_commands(app, compare_unit)
