# SPDX-License-Identifier: Apache-2.0
"""Measures what README.md and docs/ state: ``make bench``, ``python -m trme.benchmarks``.

Medians of five unless a row says otherwise. Times are of a warm cache but for the rows that say "cold".
"""

import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import cosim
from toolchain.store import Store
from toolchain.verilator import Tools
from trme.catalog import find
from trme.design import Design
from trme.sim import simulate
from trme.table import table

REPEATS = 5
SEED = 1


def main() -> int:
    """Measure, print a table, and write it to build/bench.json."""
    tools = Tools.find()
    print(f"{_processor()}, Python {platform.python_version()}, {tools.identity}, seed {SEED}\n")
    rows = [*_emission(), *_builds(tools), *_speed(tools), *_benches(tools), *_start()]
    print(
        table(["what", "measured", "unit"], [[what, f"{value:,.4g}", unit] for what, value, unit in rows], right=["measured"])
    )
    path = Path("build/bench.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([{"what": w, "value": v, "unit": u} for w, v, u in rows], indent=2) + "\n")
    return 0


def _design(name: str, **parameters) -> Design:
    unit = find(name)
    return Design(unit, unit.load("parameters")(**parameters))


def _seconds(action: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def _emission():
    for n in (16, 64, 256):
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "trme", "generate", "systolic", "--rows", str(n), "--cols", str(n), "-o", folder]
            seconds = _seconds(lambda command=command: subprocess.run(command, check=True, capture_output=True), 3)
            size = Path(folder, "systolic.v").stat().st_size
        yield f"generate systolic {n} x {n}, whole command", seconds, "s"
        yield f"generate systolic {n} x {n}, Verilog", size / 1000, "kB"


def _builds(tools):
    for n in (8, 16):
        emission = _design("systolic", rows=n, cols=n).emit()

        def build(emission=emission):
            with TemporaryDirectory() as folder:
                own = replace(tools, store=Store(Path(folder)))
                cosim.build(_SMALL.verilog, _SMALL.manifest, own).close()  # leaves the runtime there
                begin = time.perf_counter()
                cosim.build(emission.verilog, emission.manifest, own).close()
                return time.perf_counter() - begin

        yield f"native model of systolic {n} x {n}, cold, runtime there", statistics.median(build() for _ in range(3)), "s"


def _speed(tools):
    for label, design, n in (
        ("modmul 251", _design("modmul"), 2_000_000),
        ("systolic 8 x 8", _design("systolic", rows=8, cols=8), 400_000),
        ("systolic 16 x 16", _design("systolic", rows=16, cols=16), 100_000),
    ):
        emission = design.emit()
        transfers = design.stimuli.steady(n, np.random.default_rng(SEED))
        n_outputs = len(design.golden(transfers))
        with cosim.build(emission.verilog, emission.manifest, tools) as model:
            seconds = _seconds(lambda m=model, t=transfers, k=n_outputs: m.run({"i": t}, {"o": k}))
        yield f"native model of {label}, with packing", len(transfers) / seconds, "cycles/s"


def _benches(tools):
    unit = replace(find("systolic"), configurations=({"rows": 8, "cols": 8},))
    with TemporaryDirectory() as folder:
        (result,) = simulate([unit], seed=SEED, folder=Path(folder), tools=tools, length=2000)
    yield "cocotb bench of systolic 8 x 8, whole", result.transactions / result.wall_s, "transfers/s"


def _start():
    for words in (["list"], ["--help"], ["compare", "modmul", "--vectors", "1"]):
        command = [sys.executable, "-m", "trme", *words]
        yield f"trme {' '.join(words)}", _seconds(lambda c=command: subprocess.run(c, check=True, capture_output=True)), "s"


def _processor() -> str:
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{len(lines)} x {lines[0].split(':')[1].strip()}" if lines else platform.machine()


_SMALL = _design("modmul").emit()

if __name__ == "__main__":
    sys.exit(main())
