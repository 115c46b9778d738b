# SPDX-License-Identifier: Apache-2.0
"""The cocotb benches of the catalogue's units, and what they measured."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toolchain.simulator import BenchRun, build_bench, run_bench
from toolchain.verilator import Tools, trace_format
from trme.catalog import Unit
from trme.design import Design

__all__ = ["SimResult", "simulate"]

_WINDOW_PS = 400_000  # before a failure: 40 clock cycles
LENGTH = 150
"""Transfers per phase of a test."""


@dataclass(frozen=True)
class SimResult:
    """A unit in one configuration: ``trouble`` is empty if everything passed, ``waves`` is a path if there are any."""

    unit: str
    configuration: str
    tests: int
    failures: tuple[str, ...]
    transactions: int
    cycles: int
    latency_cycles: int | None
    declared_latency_cycles: int
    interval_cycles: int | None
    declared_interval_cycles: int
    trouble: str
    log: str
    waves: str
    wall_s: float

    @property
    def passed(self) -> bool:
        """Tests ran, none failed, and latency and interval were measured and are as declared."""
        return not self.trouble


def simulate(
    units: Iterable[Unit], *, seed: int, folder: Path, waves: bool = False, tools: Tools | None = None, length: int = LENGTH
) -> Iterable[SimResult]:
    """Run every configuration of the units and yield its result.

    Parameters
    ----------
    seed : int
    folder : Path
        Takes a folder per run, with log, results and waves.
    waves : bool
        Write waves of the whole run; without it only those around a failure are written, in a second run.
    """
    tools = tools or Tools.find()
    for unit in units:
        for parameters in unit.configurations:
            design = Design(unit, unit.load("parameters")(**parameters))
            name = "-".join([unit.name, *(str(value) for value in parameters.values())])
            yield _simulate(design, seed, folder / name, waves, tools, length)


def _simulate(design: Design, seed, folder: Path, waves, tools, length) -> SimResult:
    folder.mkdir(parents=True, exist_ok=True)
    emission = design.emit()
    verilog, manifest = emission.write(folder)
    top = emission.manifest.top
    report, config = folder / "report.jsonl", folder / "bench.json"
    config.write_text(
        json.dumps({
            "unit": design.unit.name, "parameters": design.params.as_dict(), "manifest": str(manifest),
            "report": str(report), "seed": seed, "length": length,
        })
    )  # fmt: skip

    def run(trace: str | None, window_ps: tuple[int, int] | None = None) -> BenchRun:
        report.unlink(missing_ok=True)
        library = build_bench(tools, {verilog.name: emission.verilog}, top=top, trace=trace)
        return run_bench(
            library, top=top, module=f"sim_tests.bench_{design.unit.family}", folder=folder, seed=seed,
            plusargs={"bench": str(config)}, waves=folder / f"waves.{trace}" if trace else None,
            window_ps=window_ps,
        )  # fmt: skip

    trace = trace_format(tools) if waves else None
    result = run(trace)
    failed = [test for test in result.tests if not test.passed]
    if failed and not waves:
        trace = trace_format(tools)
        end_ps = round(failed[0].end_ns * 1000)
        result = run(trace, (max(0, end_ps - _WINDOW_PS), end_ps))
        failed = [test for test in result.tests if not test.passed] or failed
    measures: dict[str, int] = {"transactions": 0, "cycles": 0}
    for line in report.read_text().splitlines() if report.exists() else ():
        measured = json.loads(line)
        for name in ("transactions", "cycles"):
            measures[name] += measured.pop(name)
        measures |= measured
    declared = emission.manifest
    trouble = result.trouble
    if failed:
        trouble = f"{failed[0].name}: {failed[0].message.splitlines()[0]}"
    elif not trouble and {"latency_cycles", "interval_cycles"} - measures.keys():
        trouble = "latency and initiation interval were not measured"
    elif not trouble and not measures["transactions"]:
        trouble = "no transfer was seen"
    return SimResult(
        unit=design.unit.name,
        configuration=design.configuration,
        tests=len(result.tests),
        failures=tuple(test.name for test in failed),
        transactions=measures["transactions"],
        cycles=measures["cycles"],
        latency_cycles=measures.get("latency_cycles"),
        declared_latency_cycles=declared.latency_cycles,
        interval_cycles=measures.get("interval_cycles"),
        declared_interval_cycles=declared.initiation_interval_cycles,
        trouble=trouble,
        log=str(result.log),
        waves=str(folder / f"waves.{trace}") if trace else "",
        wall_s=result.wall_s,
    )
