# SPDX-License-Identifier: Apache-2.0
"""What `synth` found, for people and for programs; and its netlist against the golden model."""

import shutil
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hdl.manifest import Emission, Manifest
from synth.devices import RESOURCES
from synth.flow import Result
from synth.models import simulation_models
from synth.place import as_json as attempt_as_json
from toolchain.errors import BadInput
from toolchain.store import Store, content_key
from trme.compare import Comparison, Subject, compare
from trme.design import Design
from trme.files import write_whole
from trme.table import table

if TYPE_CHECKING:
    from synth.generic import GenericResult

__all__ = [
    "as_json", "describe", "describe_generic", "generic_as_json", "verdict", "verify", "write_results",
]  # fmt: skip


def describe(result: Result, manifest: Manifest, copies: int, seed: int) -> str:
    """The result as a page of text."""
    device, summary, netlist = result.device, result.summary(), result.netlist
    target = f"target {result.target_mhz:g} MHz" if result.target_mhz else "no target"
    n_seeds = len({attempt.seed for attempt in result.attempts})
    lines = [
        f"device    {device.name} ({device.part}), {target}, seeds {seed + 1} to {seed + n_seeds}",
        f"tools     {'; '.join(f'{tool.name} {tool.version}' for tool in result.tools)}",
        f"unit      {_counts(netlist.core)}{f' in {copies} copies' if copies > 1 else ''}",
        f"wrapper   {_counts(netlist.wrapper)}",
        f"checked   {netlist.register_bits[1]} register bits, at least {netlist.register_bits[0]} were expected"
        + (f", {netlist.multipliers[1]} DSPs for {netlist.multipliers[0]} multipliers" if netlist.multipliers[0] else ""),
        f"pipeline  latency {manifest.latency_cycles} cycles, initiation interval {manifest.initiation_interval_cycles}",
        "",
        _strategies(result),
    ]
    failed = [attempt for attempt in result.attempts if attempt.failure]
    lines += [f"failed    seed {attempt.seed}, {attempt.strategy}: {attempt.failure}" for attempt in failed]
    if summary is None:
        return "\n".join(lines)
    lines.append("")
    if result.critical_path:
        lines.append(f"critical  {result.critical_path.in_words()}")
        if result.critical_path.is_in_wrapper:
            lines.append("          which lies in the measuring wrapper: the unit itself is faster than it can be measured")
    lines.append(f"clock     {clock_limit(result)}")
    if device.family.caveat:
        lines.append(f"caution   {device.family.caveat}")
    if result.met is not None:
        verb = "reaches" if summary.median >= (result.target_mhz or 0) else "misses"
        n_failed = sum(attempt.strategy == result.best for attempt in failed)
        lines.append(
            f"{'MET' if result.met else 'MISSED'}  the median of {summary.median:.1f} MHz {verb} {result.target_mhz:g} MHz"
            + (f", and {n_failed} of {n_seeds} seeds failed" if n_failed else "")
        )
    return "\n".join(lines)


def clock_limit(result: Result) -> str:
    """The device's clock limit beside what was found."""
    device, summary = result.device, result.summary()
    if device.clock_limit_mhz is None:
        return f"no limit of the device's clock network is known: {device.clock_limit_source}"
    above = summary is not None and summary.median > device.clock_limit_mhz
    return (
        f"the device's clock network carries {device.clock_limit_mhz:g} MHz ({device.clock_limit_source})"
        + (", so a board runs it no faster than that; nextpnr's model does not know" if above else "")
    )  # fmt: skip


def _counts(resources: dict[str, int]) -> str:
    return ", ".join(f"{resources[name]} {name}" for name in RESOURCES if resources[name]) or "nothing"


def _strategies(result: Result) -> str:
    rows = []
    core, several = result.netlist.core, len(result.strategies) > 1
    for name in result.strategies:
        summary = result.summary(name)
        mine = [attempt for attempt in result.attempts if attempt.strategy == name]
        figures = [f"{value:.1f}" for value in (summary.min, summary.median, summary.max)] if summary else ["-"] * 3
        met = f"{summary.share_met:.0%}" if summary and result.target_mhz else "-"
        won = " *" if name == result.best and several else ""
        rows.append([name + won, str(len(mine)), *figures, met, *(str(core[resource]) for resource in RESOURCES)])
    head = ["strategy", "seeds", "min MHz", "median MHz", "max MHz", "met", *RESOURCES]
    drawn = table(head, rows, right=head[1:])
    return drawn + (f"\n* has the largest median: --strategy {result.best}" if several else "")


def as_json(result: Result, design: Design, manifest: Manifest, *, streams: bool, copies: int, seed: int) -> dict:
    """The result for programs."""
    summary, path = result.summary(), result.critical_path
    return {
        "unit": design.unit.name, "parameters": design.params.as_dict(), "seed": seed,
        "device": result.device.name, "part": result.device.part, "streams": streams, "copies": copies,
        "target_mhz": result.target_mhz, "met": result.met, "strategy": result.best,
        "fmax_mhz": {"min": summary.min, "median": summary.median, "max": summary.max} if summary else None,
        "share_met": summary.share_met if summary and result.target_mhz else None,
        "seeds": [attempt_as_json(attempt) for attempt in result.attempts],
        "core": result.netlist.core, "wrapper": result.netlist.wrapper, "cells": result.netlist.cells,
        "register_bits": dict(zip(("expected", "found"), result.netlist.register_bits, strict=True)),
        "multipliers": dict(zip(("expected", "found"), result.netlist.multipliers, strict=True)),
        "utilisation": {name: asdict(usage) for name, usage in result.utilisation.items()},
        "critical_path": path.as_json() if path else None,
        "latency_cycles": manifest.latency_cycles, "initiation_interval_cycles": manifest.initiation_interval_cycles,
        "device_clock_limit_mhz": result.device.clock_limit_mhz, "device_clock_limit_source": result.device.clock_limit_source,
        "caveat": result.device.family.caveat or None, "verilog_sha256": manifest.verilog_sha256,
        "tool_versions": manifest.tool_versions | {tool.name: tool.version for tool in result.tools},
    }  # fmt: skip


def write_results(result: Result, design: Design, emission: Emission, folder: Path) -> None:
    """Copy what was made into a folder: Verilog, netlist, and plots.

    Raises
    ------
    BadInput
        If the folder cannot be written.
    """
    try:
        verilog, _ = emission.write(folder)
        for source, name in ((result.netlist.verilog, "netlist.v"), (result.netlist.json, "netlist.json")):
            write_whole(folder / name, partial(shutil.copyfile, source))
        plots = _plots(result, design, folder) if result.summary() else []
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error
    print("\n".join(["", *(f"written   {path}" for path in (verilog, folder / "netlist.v", *plots))]))


def _plots(result: Result, design: Design, folder: Path) -> list[Path]:
    """Draw, or take what was drawn of the same figures; matplotlib takes longer to import than all else together."""

    def build(made: Path) -> None:
        from trme.synthesis_plots import draw

        draw(result, design, made)

    here = Path(__file__).parent
    code = [(here / name).read_text() for name in ("plots.py", "synthesis_plots.py")]
    figures = [(a.strategy, a.seed, a.fmax_mhz) for a in result.attempts], result.critical_path, result.target_mhz
    key = content_key(
        "synthesis plots", *code, design.unit.name, design.configuration, repr((result.device, figures, result.tools))
    )
    made, _ = Store().get(key, build)
    paths = [folder / f"timing.{ending}" for ending in ("png", "svg")]
    for path in paths:
        write_whole(path, partial(shutil.copyfile, made / path.name))
    return paths


def verify(design: Design, emission: Emission, result: Result, vectors: str, seed: int) -> Comparison:
    """Run vectors through the synthesised netlist and the golden model.

    Raises
    ------
    BadInput
        As `trme.compare.compare`.
    """
    netlist = result.netlist
    subject = Subject(netlist.verilog.read_text(), simulation_models(result.device.family), manifest=emission.manifest)
    return compare(design, vectors=None if vectors == "all" else int(vectors), seed=seed, subject=subject)


def verdict(comparison: Comparison) -> str:
    """The outcome of `verify` in words."""
    d = comparison.first_divergence
    if d is None:
        return f"PASS  {comparison.vectors} vectors through the netlist, {comparison.outputs} results, 0 mismatches with golden"
    return (
        f"FAIL  the netlist differs from golden, first at result {d.index} ({d.reason}): inputs {d.inputs}, "
        f"expected {d.expected}, actual {d.actual}"
    )


def describe_generic(result: "GenericResult") -> str:
    """Counts and depths as a table."""
    rows = [[name, str(result.counts[name]), str(result.depths[name])] for name in result.counts]
    drawn = table(["mapped to", "cells", "depth"], rows, right=["cells", "depth"])
    memory = f", {result.memory_bits} memory bits" if result.memory_bits else ""
    head = f"device    generic: no timing\ntools     yosys {result.yosys.version}\n"
    return f"{head}unit      {result.register_bits} register bits{memory}\n\n{drawn}"


def generic_as_json(result: "GenericResult", design: Design, manifest: Manifest, *, streams: bool, seed: int) -> dict:
    """Counts and depths for programs."""
    return {
        "unit": design.unit.name, "parameters": design.params.as_dict(), "seed": seed, "device": "generic", "streams": streams,
        "cells": result.counts, "depth": result.depths,
        "register_bits": result.register_bits, "memory_bits": result.memory_bits,
        "latency_cycles": manifest.latency_cycles, "initiation_interval_cycles": manifest.initiation_interval_cycles,
        "tool_versions": manifest.tool_versions | {"yosys": result.yosys.version},
    }  # fmt: skip
