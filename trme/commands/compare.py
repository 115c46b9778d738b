# SPDX-License-Identifier: Apache-2.0
"""``trme compare``."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import App, Parameter

from hdl.manifest import Array, Layout, Manifest, Scalar, Struct
from toolchain.errors import BadInput, ToolFailed
from toolchain.verilator import Tools
from trme.compare import Comparison, Subject, compare, compare_transfers
from trme.design import Design
from trme.options import OPTIONS, JsonFile, Seed, VerilatorPath, integer_option, unit_commands, write_json
from trme.progress import Progress

app = App(name="compare", group_parameters=OPTIONS)

_MOST_VECTORS = 10**9
_SHOWN_INPUTS = 6
_OUTPUT = Path("build/compare")


def compare_unit(
    design: Design,
    *,
    vectors: Annotated[str, Parameter(help="Transfers on the input: 1 to 1000000000, or 'all' possible ones.")] = "100000",
    start: Annotated[int, integer_option("Index of the first vector in the seed's sequence, 0 or more.")] = 0,
    inputs: Annotated[Path | None, Parameter(help="Compare the transfers in this .npy file instead.")] = None,
    stall: Annotated[float, Parameter(help="Chance that a stream pauses in a cycle, on both sides, 0 to 0.99.")] = 0.0,
    verilog: Annotated[
        Path | None, Parameter(help="Compare the Verilog in this file, with the ports of the unit, not what is generated.")
    ] = None,
    netlist: Annotated[
        Path | None, Parameter(help="Compare this synthesised netlist; --cells has the models of what it is made of.")
    ] = None,
    cells: Annotated[
        list[Path] | None, Parameter(help="Verilog with simulation models of a netlist's cells; may be repeated.", negative="")
    ] = None,
    shrink: Annotated[bool, Parameter(negative="", help="Look for a short sequence that still fails.")] = False,
    waves: Annotated[bool, Parameter(help="Write the waves around the first difference.")] = True,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="Folder for waves and shrunk inputs.")] = _OUTPUT,
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
    subject = _subject(verilog, netlist, cells or [])
    transfers = _load(inputs) if inputs else None
    print(f"{design.unit.name} {design.configuration}\nseed {seed}")
    sys.stdout.flush()
    common = {
        "seed": seed, "stall": stall, "subject": subject, "tools": Tools.find(verilator), "shrinks": shrink,
        "folder": output if waves or shrink else None,
    }  # fmt: skip
    try:
        if transfers is not None:
            outcome = compare_transfers(design, transfers, words=("--inputs", str(inputs)), **common)
        else:
            with Progress("vectors", n_vectors) as progress:
                outcome = compare(design, vectors=n_vectors, start=start, progress=progress.update, **common)
    except ToolFailed as error:
        raise (BadInput(f"{verilog or netlist} does not build: {error}") if subject else error) from error
    except OSError as error:
        raise BadInput(f"cannot write into --output {output}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        if transfers is None:
            raise
        raise BadInput(f"--inputs {inputs} holds no transfers of this unit: {error}") from error
    _print(design, outcome, output)
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


def _subject(verilog: Path | None, netlist: Path | None, cells: list[Path]) -> Subject | None:
    if verilog and netlist:
        raise BadInput("--verilog and --netlist name two things to compare: give one")
    if cells and not netlist:
        raise BadInput("--cells goes with --netlist")
    if verilog:
        return Subject(_read("--verilog", verilog), words=("--verilog", str(verilog)))
    if not netlist:
        return None
    words = ["--netlist", str(netlist)]
    for path in cells:
        words += ["--cells", str(path)]
    more = {f"cells{n}.v": _read("--cells", path) for n, path in enumerate(cells)}
    return Subject(_read("--netlist", netlist), more, tuple(words))


def _read(option: str, path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {option} {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from error


def _load(path: Path) -> np.ndarray:
    try:
        transfers = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is no .npy file"
        raise BadInput(f"cannot read --inputs {path}: {reason}") from error
    if not isinstance(transfers, np.ndarray) or transfers.ndim != 1 or not len(transfers):
        raise BadInput(f"--inputs {path} must hold one array of transfers, of one dimension and not empty")
    return transfers


def _print(design: Design, outcome: Comparison, folder: Path) -> None:
    build = "taken from the cache" if outcome.cache_hit else f"built in {outcome.build_s:.1f} s"
    print(f"model {build}; {outcome.cycles} cycles at {outcome.cycles_per_second:,.0f} cycles/s")
    if outcome.first_divergence is None:
        print(f"PASS  {outcome.vectors} vectors, {outcome.outputs} results, 0 mismatches")
        return
    d = outcome.first_divergence
    manifest = design.emit().manifest
    print(f"FAIL  {outcome.mismatches} mismatches in the first {outcome.vectors} vectors; the first:")
    where = f"cycle {d.cycle}" if d.cycle is not None else "never came"
    print(f"  result   {d.index}, {where}: {d.reason}")
    print(f"  inputs   vectors {d.vectors[0]} to {d.vectors[1]}" if len(d.inputs) > 1 else f"  inputs   vector {d.vectors[0]}")
    _print_inputs(design, manifest, d.inputs)
    print(f"  expected {_show(design, d.expected, _layout(manifest, 'o'))}")
    print(f"  actual   {_show(design, d.actual, _layout(manifest, 'o'))}")
    if d.stages:
        print("  stages   " + "  ".join(f"{name.split('.')[-1]} = {value} (0x{value:x})" for name, value in d.stages.items()))
    if d.waves:
        print(f"  waves    {d.waves}")
    if d.command:
        print(f"  again    {d.command}")
    if d.shrunk:
        print(f"  shrunk   to {len(d.shrunk)} vectors, --inputs {folder / design.unit.name}.npy")
        _print_inputs(design, manifest, d.shrunk)


def _print_inputs(design, manifest: Manifest, inputs: list) -> None:
    for item in inputs[:_SHOWN_INPUTS]:
        print(f"           {_show(design, item, _layout(manifest, 'i'))}")
    if len(inputs) > _SHOWN_INPUTS:
        print(f"           and {len(inputs) - _SHOWN_INPUTS} more, all in --json")


def _layout(manifest: Manifest, stream: str) -> Layout:
    return next(manifest.stream_layout(s) for s in manifest.streams if s.name == stream)


def _show(design, value, layout: Layout, field: str = "") -> str:
    """A value as the unit sees it, and in hexadecimal as the wires have it."""
    if value is None:
        return "nothing"
    match layout:
        case Struct(fields):
            return "  ".join(f"{name} = {_show(design, value[name], inner, name)}" for name, inner in fields)
        case Array(Scalar() as element, _):
            own = " ".join(design.stimuli.show(field, item) for item in value)
            return f"[{own}] (0x {' '.join(_hex(item, element) for item in value)})"
        case Array(element, _):
            return "[" + ", ".join(_show(design, item, element, field) for item in value) + "]"
        case Scalar(1, _):
            return str(value)
        case _:
            return f"{design.stimuli.show(field, value)} (0x{_hex(value, layout)})"


def _hex(value: int, layout: Scalar) -> str:
    return f"{value & (1 << layout.width) - 1:0{-(-layout.width // 4)}x}"


unit_commands(app, compare_unit)
