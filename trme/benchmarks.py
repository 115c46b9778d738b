# SPDX-License-Identifier: Apache-2.0
"""Measures what README.md and docs/ state: ``make bench``, ``python -m trme.benchmarks``.

Medians of five, of a warm cache unless a row says "cold". Ratios are of the same run. Fails if a speed goal is missed.
"""

import ctypes
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from amaranth import *
from amaranth.sim import Simulator

import cosim
from cosim.build import verilator_flags
from cosim.packing import pack, storage_bytes
from golden.systolic import SystolicParams
from hdl.emit import elastic, emit
from hdl.semiring import Decoder, Encoder
from hdl.stream import FreeRunning, delayed
from hdl.systolic import ProcessingElement
from toolchain.store import Store
from toolchain.verilator import Tools, build_library
from trme.catalog import find
from trme.design import Design
from trme.sim import simulate
from trme.table import table

REPEATS = 5
SEED = 1

# The yardstick: ports by name, data packed beforehand, nothing that a run could be asked for.
_BARE_LOOP = """\
#include "Vmodel.h"
#include <cstdint>
#include <cstring>
struct Bare { VerilatedContext context; Vmodel model{&context}; };
extern "C" __attribute__((visibility("default"))) void *bare_create() {
    Bare *bare = new Bare;
    bare->model.rst = 1;
    for (int n = 0; n < 4; ++n) { bare->model.clk = n & 1; bare->model.eval(); }
    bare->model.rst = 0;
    return bare;
}
extern "C" __attribute__((visibility("default")))
uint64_t bare_run(void *handle, const uint8_t *in, uint64_t n_in, uint64_t in_size,
                  uint8_t *out, uint64_t n_out, uint64_t out_size) {
    Vmodel &model = static_cast<Bare *>(handle)->model;
    uint64_t sent = 0, got = 0, cycles = 0;
    model.o___05Fready = 1;
    while (sent < n_in || got < n_out) {
        model.i___05Fvalid = sent < n_in;
        if (sent < n_in) std::memcpy(&model.i___05Fpayload, in + sent * in_size, in_size);
        model.clk = 0;
        model.eval();
        if (model.i___05Fvalid && model.i___05Fready) ++sent;
        if (model.o___05Fvalid) { std::memcpy(out + got * out_size, &model.o___05Fpayload, out_size); ++got; }
        model.clk = 1;
        model.eval();
        ++cycles;
    }
    return cycles;
}
"""


@dataclass(frozen=True)
class Row:
    """A figure; ``goal`` is the least or, with ``at_most``, the largest it may be, or None."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether there is no goal, or it is reached."""
        return self.goal is None or (self.value <= self.goal if self.at_most else self.value >= self.goal)


def main() -> int:
    """Measure, print a table, and write it to build/bench.json; 1 if a goal is missed."""
    tools = Tools.find()
    print(f"{_processor()}, Python {platform.python_version()}, {tools.identity}, seed {SEED}\n", flush=True)
    rows = []
    for measure in (_emission, _builds, _speed, _pipeline, _slower_ways, _commands):
        for row in measure(tools):
            print(f"{row.what}: {row.value:,.4g} {row.unit}", file=sys.stderr, flush=True)
            rows.append(row)
    print(table(
        ["what", "measured", "unit", "goal", ""],
        [[r.what, f"{r.value:,.4g}", r.unit, _goal(r), "" if r.met else "MISSED"] for r in rows],
        right=["measured", "goal"],
    ))  # fmt: skip
    path = Path("build/bench.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        json.dumps([{"what": r.what, "value": r.value, "unit": r.unit, "goal": r.goal} for r in rows], indent=2) + "\n"
    )
    return 0 if all(row.met for row in rows) else 1


def _goal(row: Row) -> str:
    return "" if row.goal is None else f"{'<=' if row.at_most else '>='} {row.goal:,.4g}"


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


def _command(*words: str) -> Callable[[], object]:
    command = [sys.executable, "-m", "trme", *words]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def _emission(tools) -> Iterator[Row]:
    for n, seconds_goal, size_goal in ((16, 3, 30), (64, 5, 60), (256, 8, 200)):
        design = _design("systolic", rows=n, cols=n)
        component = design.unit.load("component")

        def generate(design=design, component=component):
            return emit(elastic(component(design.params)), unit="systolic", parameters=design.params.as_dict())

        yield Row(f"emit systolic {n} x {n}, not kept", _seconds(generate, 3), "s", seconds_goal, at_most=True)
        yield Row(f"Verilog of systolic {n} x {n}", len(generate().verilog) / 1000, "kB", size_goal, at_most=True)
    with TemporaryDirectory() as folder:
        yield Row(
            "trme generate systolic 16 x 16, kept",
            _seconds(_command("generate", "systolic", "--rows", "16", "-o", folder)),
            "s",
        )


def _builds(tools) -> Iterator[Row]:
    small = _design("modmul").emit()
    for n, repeats, goal in ((8, 3, 5), (16, 3, 8), (64, 1, 40)):
        emission = _design("systolic", rows=n, cols=n).emit()

        def build(emission=emission):
            with TemporaryDirectory() as folder:
                own = replace(tools, store=Store(Path(folder)))
                cosim.build(small.verilog, small.manifest, own).close()  # leaves the runtime there
                begin = time.perf_counter()
                cosim.build(emission.verilog, emission.manifest, own).close()
                return time.perf_counter() - begin

        seconds = statistics.median(build() for _ in range(repeats))
        yield Row(f"native model of systolic {n} x {n}, cold, runtime there", seconds, "s", goal, at_most=True)


def _bare(emission, tools, transfers, n_outputs) -> float:
    """Cycles per second of the hand-written loop."""
    manifest = emission.manifest
    flags = verilator_flags(emission.verilog)
    sources = {f"{manifest.top}.v": emission.verilog}
    library = build_library(tools, sources, top=manifest.top, harness=_BARE_LOOP, flags=flags)
    c = ctypes.CDLL(str(library.path))
    c.bare_create.restype = ctypes.c_void_p
    c.bare_run.restype = ctypes.c_uint64
    c.bare_run.argtypes = [ctypes.c_void_p, *([ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64] * 2)]
    rows = pack(manifest.stream_layout(manifest.streams[0]), transfers)
    out = np.zeros((n_outputs, storage_bytes(manifest.stream_layout(manifest.streams[1]).width)), np.uint8)
    handle = c.bare_create()
    begin = time.perf_counter()
    cycles = c.bare_run(handle, rows.ctypes.data, len(rows), rows.shape[1], out.ctypes.data, n_outputs, out.shape[1])
    return cycles / (time.perf_counter() - begin)


def _speed(tools) -> Iterator[Row]:
    for label, design, n, goal in (
        ("modmul 251", _design("modmul"), 1_000_000, None),
        ("systolic 8 x 8, compact", _design("systolic", rows=8, cols=8, pe="compact"), 200_000, None),
        ("systolic 16 x 16, compact", _design("systolic", rows=16, cols=16, pe="compact"), 60_000, 500e3),
        ("systolic 64 x 64, compact", _design("systolic", rows=64, cols=64, pe="compact"), 8_000, 30e3),
        ("systolic 16 x 16, lookahead", _design("systolic", rows=16, cols=16), 60_000, None),
    ):
        emission = design.emit()
        transfers = design.stimuli.steady(n, np.random.default_rng(SEED))
        n_outputs = len(design.golden(transfers))
        ours, bare = [], []
        with cosim.build(emission.verilog, emission.manifest, tools) as model:
            for _ in range(REPEATS):  # in turn, so that both see the same machine
                run = model.run({"i": transfers}, {"o": n_outputs})
                ours.append(run.cycles / run.run_s)
                bare.append(_bare(emission, tools, transfers, n_outputs))
            whole = _seconds(lambda m=model, t=transfers, k=n_outputs: m.run({"i": t}, {"o": k}))
        yield Row(f"native model of {label}", statistics.median(ours), "cycles/s", goal)
        yield Row(f"native model of {label}, with packing", len(transfers) / whole, "cycles/s")
        ratio = statistics.median(a / b for a, b in zip(ours, bare, strict=True))
        yield Row(f"native model of {label}, of a bare C++ loop", 100 * ratio, "%", 95)


class _Pipeline(FreeRunning):
    """A hundred registers of 32 bits, each adding to the one before."""

    latency = 100

    def __init__(self):
        super().__init__(unsigned(32), unsigned(32))

    def elaborate(self, platform):
        m = Module()
        value = self.i.payload
        for n in range(self.latency):
            stage = Signal(32, reset_less=True, name=f"stage_{n}")
            m.d.sync += stage.eq(value + n)
            value = stage
        m.d.comb += [self.o.payload.eq(value), self.o.valid.eq(delayed(m, self.i.valid, self.latency, name="in_flight"))]
        return m


def _pipeline(tools) -> Iterator[Row]:
    emission = emit(elastic(_Pipeline()), unit="pipeline", parameters={})
    values = np.arange(500_000)
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        runs = [model.run({"i": values}, {"o": len(values)}) for _ in range(REPEATS)]
    yield Row(
        "native model of a pipeline of 100 registers", statistics.median(r.cycles / r.run_s for r in runs), "cycles/s", 5e6
    )


class _FlatArray(Elaboratable):
    """The same array without its stream wrapper, wired in Amaranth one by one: what Amaranth's own simulator can run."""

    def __init__(self, n: int):
        self.params = SystolicParams(rows=n, cols=n)
        self.i = Signal(2 * n * self.params.width)
        self.o = Signal(n * self.params.width)

    def elaborate(self, platform):
        m = Module()
        n, width = self.params.rows, self.params.width

        def delayed_by(value, cycles):
            for _ in range(cycles):
                stage = Signal.like(value, name="stage")
                m.d.sync += stage.eq(value)
                value = stage
            return value

        edges = []
        for lane in range(2 * n):
            m.submodules[f"encode_{lane}"] = encoder = Encoder(self.params)
            m.d.comb += [encoder.valid.eq(1), encoder.value.eq(self.i.word_select(lane, width))]
            edges.append(delayed_by(encoder.code, lane % n))
        grid = [[ProcessingElement(self.params) for _ in range(n)] for _ in range(n)]
        for r, row in enumerate(grid):
            for c, pe in enumerate(row):
                m.submodules[f"pe_{r}_{c}"] = pe
                left, above = (row[c - 1] if c else None), (grid[r - 1][c] if r else None)
                m.d.comb += [
                    pe.a_i.eq(left.a_o if left else edges[r]),
                    pe.b_i.eq(above.b_o if above else edges[n + c]),
                    pe.control_i.eq(left.control_o if left else 7),
                    pe.drain_i.eq(above.drain_o if above else 0),
                ]
        for c in range(n):
            m.submodules[f"decode_{c}"] = decoder = Decoder(self.params)
            m.d.comb += decoder.code.eq(grid[-1][c].drain_o)
            m.d.comb += self.o.word_select(c, width).eq(delayed_by(decoder.value, n - 1 - c))
        return m


def _slower_ways(tools) -> Iterator[Row]:
    design = _design("systolic", rows=8, cols=8)
    emission = design.emit()
    transfers = design.stimuli.steady(200_000, np.random.default_rng(SEED))
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        run = model.run({"i": transfers}, {"o": len(design.golden(transfers))})
    native = run.cycles / run.run_s

    unit = replace(find("systolic"), configurations=({"rows": 8, "cols": 8},))
    with TemporaryDirectory() as folder:
        (result,) = simulate([unit], seed=SEED, folder=Path(folder), tools=tools, length=1000)
    cocotb = result.cycles / result.wall_s
    yield Row("cocotb bench of systolic 8 x 8", cocotb, "cycles/s")
    yield Row("native model of systolic 8 x 8, of cocotb", native / cocotb, "times", 100)

    flat = _FlatArray(8)
    cycles = 200

    rows = pack(emission.manifest.port("i__payload").layout, transfers[:cycles])
    payloads = [int.from_bytes(row.tobytes(), "little") for row in rows]

    async def bench(ctx):
        for payload in payloads:
            ctx.set(flat.i, payload)
            await ctx.tick()
            ctx.get(flat.o)

    simulator = Simulator(flat)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    begin = time.perf_counter()
    simulator.run()
    amaranth = cycles / (time.perf_counter() - begin)
    yield Row("Amaranth's simulator, systolic 8 x 8 without streams", amaranth, "cycles/s")
    yield Row("native model of systolic 8 x 8, of Amaranth's simulator", native / amaranth, "times", 1000)


def _commands(tools) -> Iterator[Row]:
    for words, goal in ((["list"], 0.5), (["--help"], 0.5), (["compare", "modmul", "--vectors", "1"], 0.5)):
        yield Row(f"trme {' '.join(words)}", _seconds(_command(*words)), "s", goal, at_most=True)
    seconds = _seconds(_command("compare", "modmul", "--modulus", "251", "--vectors", "10000000"), 1)
    yield Row("trme compare modmul --vectors 10000000", seconds, "s", 60, at_most=True)


def _processor() -> str:
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{len(lines)} x {lines[0].split(':')[1].strip()}" if lines else platform.machine()


if __name__ == "__main__":
    sys.exit(main())
