# SPDX-License-Identifier: Apache-2.0
"""What every bench of a stream unit is made of; runs inside the simulator.

The golden model is fed with what a monitor saw on the input, not with what a driver meant to send, so a fault in a driver
cannot hide one in the design.
"""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from cosim.packing import differences, dtype_of, pack, storage_bytes, unpack
from hdl.manifest import Manifest
from trme.catalog import find
from trme.design import Design

__all__ = ["Bench"]

_PERIOD_NS = 10
_PATIENCE_CYCLES = 2000


def _never() -> Iterator[bool]:
    while True:
        yield False


def _payloads(layout, transfers) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in pack(layout, transfers)]


class Monitor:
    """Sees every transfer of a stream, and that what is offered stays until it is taken."""

    def __init__(self, bench, stream):
        self.name = stream.name
        self.layout = bench.manifest.stream_layout(stream)
        self.payloads: list[int] = []
        self.cycles: list[int] = []
        self.first_valid: list[int] = []
        self._signals = [getattr(bench.dut, port) for port in (stream.payload, stream.valid, stream.ready)]
        self._offered: int | None = None

    def clear(self) -> None:
        """Forget what was seen, as after a reset."""
        self.payloads, self.cycles, self.first_valid, self._offered = [], [], [], None

    def sample(self, cycle: int) -> None:
        """Look at the signals as they are just before a clock edge."""
        payload, valid, ready = (signal.value for signal in self._signals)
        if not valid:
            assert self._offered is None, f"{self.name}: valid fell before the transfer"
            return
        value = int(payload)
        if self._offered is None:
            self.first_valid.append(cycle)
        else:
            assert value == self._offered, f"{self.name}: payload changed while it waited"
        self._offered = None if ready else value
        if ready:
            self.payloads.append(value)
            self.cycles.append(cycle)

    def transfers(self) -> np.ndarray:
        """All transfers seen, with the dtype of the layout."""
        size = storage_bytes(self.layout.width)
        rows = np.frombuffer(b"".join(value.to_bytes(size, "little") for value in self.payloads), np.uint8)
        return unpack(self.layout, rows.reshape(-1, size)) if self.payloads else np.zeros(0, dtype_of(self.layout))


class Bench:
    """Driver, sink, monitors, golden model and scoreboard around a unit with the streams ``i`` and ``o``.

    Use `start`; then any of `drive`, `drain`, `reset`, and `finish` at the end.
    """

    def __init__(self, dut):
        config = json.loads(Path(cocotb.plusargs["bench"]).read_text())
        unit = find(config["unit"])
        self.dut = dut
        self.design = Design(unit, unit.load("parameters")(**config["parameters"]))
        self.manifest = Manifest.read(Path(config["manifest"]))
        self.rng = np.random.default_rng(config["seed"])
        self.length = config["length"]
        self.cycle = 0
        self._report = Path(config["report"])
        self._i, self._o = (next(s for s in self.manifest.streams if s.name == name) for name in "io")
        self.i, self.o = Monitor(self, self._i), Monitor(self, self._o)
        self._pauses = _never()
        self._seen = 0

    @classmethod
    async def start(cls, dut) -> "Bench":
        """Clock, reset, monitors and sink running."""
        bench = cls(dut)
        bench.dut.i__valid.value = 0
        bench.dut.o__ready.value = 0
        Clock(dut.clk, _PERIOD_NS, unit="ns").start()
        await bench.reset()
        cocotb.start_soon(bench._watch())
        return bench

    async def reset(self, cycles: int = 2) -> None:
        """Reset in whatever state the design is; forgets all transfers so far."""
        self.dut.rst.value = 1
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self._seen += len(self.i.payloads) + len(self.o.payloads)
        self.i.clear()
        self.o.clear()

    async def _watch(self):
        """Monitors before each edge, the sink's ready after it."""
        while True:
            await ReadOnly()
            if not int(self.dut.rst.value):
                self.i.sample(self.cycle)
                self.o.sample(self.cycle)
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            self.dut.o__ready.value = not next(self._pauses)

    def pausing(self, chance: float) -> Iterator[bool]:
        """Pauses at random."""
        while True:
            yield bool(self.rng.random() < chance)

    def sink_pauses(self, pauses: Iterator[bool] | None = None) -> None:
        """Hold ``o.ready`` low in the cycles that an iterator says; never by default."""
        self._pauses = pauses or _never()

    async def drive(self, transfers: np.ndarray, pauses: Iterator[bool] | None = None) -> None:
        """Offer transfers one after the other and return when all are taken; ``pauses`` says when not to begin one."""
        pauses = pauses or _never()
        waited = 0
        payloads = _payloads(self.i.layout, transfers)
        # Without valid the payload means nothing: a design that looks all the same is caught.
        noise = cycle(_payloads(self.i.layout, self.design.stimuli.random(64, self.rng)))
        for payload in payloads:
            while next(pauses):
                self.dut.i__valid.value = 0
                self.dut.i__payload.value = next(noise)
                await RisingEdge(self.dut.clk)
            self.dut.i__payload.value = payload
            self.dut.i__valid.value = 1
            while True:
                await ReadOnly()
                taken = int(self.dut.i__ready.value)
                await RisingEdge(self.dut.clk)
                if taken:
                    break
                waited += 1
                assert waited < _PATIENCE_CYCLES + 20 * len(transfers), "i.ready stays low"
        self.dut.i__valid.value = 0

    async def drain(self) -> None:
        """Wait for all results of what the input monitor saw, compare them, and see that no more come."""
        await RisingEdge(self.dut.clk)
        expected = self.design.golden(self.i.transfers())
        waited = 0
        while len(self.o.payloads) < len(expected):
            await RisingEdge(self.dut.clk)
            waited += 1
            assert waited < _PATIENCE_CYCLES + 20 * len(expected), (
                f"only {len(self.o.payloads)} of {len(expected)} results came"
            )
        for _ in range(self.manifest.latency_cycles + 4):
            await RisingEdge(self.dut.clk)
        actual = self.o.transfers()
        assert len(actual) == len(expected), f"{len(actual)} results came for {len(expected)}"
        wrong = np.flatnonzero(differences(expected, actual))
        for n in wrong[:1]:
            raise AssertionError(f"result {n} in cycle {self.o.cycles[n]} is {actual[n]}, not {expected[n]}")

    def finish(self, **measures: int) -> None:
        """Report the number of transfers compared, and what was measured."""
        transactions = self._seen + len(self.i.payloads) + len(self.o.payloads)
        assert transactions, "no transfer was seen"
        with self._report.open("a") as report:
            report.write(json.dumps({"transactions": transactions, "cycles": self.cycle, **measures}) + "\n")
