# SPDX-License-Identifier: Apache-2.0
"""The wrapper around free-running cores, with cores made for the purpose."""

from dataclasses import replace

import numpy as np
import pytest
from amaranth import *

import cosim
from hdl.emit import elastic, emit
from hdl.stream import Elastic, FreeRunning, delayed


class Burst(FreeRunning):
    """Answers every item whose lowest bit is set with a run of its value, ``run`` times."""

    def __init__(self, latency, run):
        self.latency, self.results_per_item = latency, run
        super().__init__(unsigned(16), unsigned(16))

    def completes(self, payload):
        return payload[0] if self.results_per_item > 1 else C(1)

    def elaborate(self, platform):
        m = Module()
        answer = self.i.valid & self.completes(self.i.payload)
        value, left = Signal(16), Signal(range(self.results_per_item + 1))
        with m.If(answer):
            m.d.sync += [value.eq(self.i.payload), left.eq(self.results_per_item)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        line = Signal(16 * self.latency)
        m.d.sync += line.eq(Cat(value, line))
        m.d.comb += [
            self.o.payload.eq(Cat(value, line).word_select(self.latency - 1, 16)),
            self.o.valid.eq(delayed(m, left != 0, self.latency - 1, name="running")),
        ]
        return m


@pytest.mark.parametrize("stalls", [{}, {"o": 0.5}, {"i": 0.5}, {"i": 0.3, "o": 0.8}])
@pytest.mark.parametrize(("latency", "run"), [(1, 1), (1, 2), (5, 1), (3, 7), (20, 3), (2, 32)])
def test_nothing_is_lost_whatever_latency_run_and_stalls(tools, latency, run, stalls):
    emission = emit(elastic(Burst(latency, run)), unit="burst", parameters={})
    rng = np.random.default_rng(run)
    sent = rng.integers(0, 1 << 16, 2000)
    expected = np.repeat(sent if run == 1 else sent[sent % 2 == 1], run)
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        result = model.run({"i": sent}, {"o": len(expected)}, stalls=stalls)
    np.testing.assert_array_equal(result.outputs["o"], expected)
    assert result.surplus["o"] == 0
    if not stalls:
        completing = np.flatnonzero(sent % 2 == 1) if run > 1 else np.arange(2000)
        cycles = result.input_cycles["i"].astype(int)[completing]
        assert result.output_cycles["o"][0] - cycles[0] == emission.manifest.latency_cycles == latency + 2


@pytest.mark.parametrize(("latency", "run"), [(9, 4), (25, 1), (8, 2), (9, 3), (8, 4), (3, 7), (12, 16)])
def test_runs_back_to_back_are_not_held_back(tools, latency, run):
    """Most of these need all the places there are."""
    emission = emit(elastic(Burst(latency, run)), unit="burst", parameters={})
    sent = np.tile([*range(2, 2 * run, 2), 2 * run - 1], 300)
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        result = model.run({"i": sent}, {"o": 300 * run})
    assert (np.diff(result.input_cycles["i"].astype(int)) == 1).all()


def drained(emission, tools, run=1):
    """Whether all results leave by themselves, after any number of items and whatever was waiting."""
    sent = np.arange(1, 2 * 80, 2)
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        for number in range(1, 80):
            for seed, stall in enumerate((0.3, 0.6, 0.9, 0.97)):
                expected = np.repeat(sent[:number], run)
                result = model.run(
                    {"i": sent[:number]}, {"o": len(expected)}, stalls={"o": stall}, seed=seed, patience_cycles=900
                )
                np.testing.assert_array_equal(result.outputs["o"], expected)


@pytest.mark.parametrize(("latency", "run"), [(1, 1), (5, 1), (20, 1), (2, 2), (3, 7)])
def test_last_results_leave_without_another_item(tools, latency, run):
    drained(emit(elastic(Burst(latency, run)), unit="burst", parameters={}), tools, run)


def test_result_that_waits_for_another_item_is_noticed(tools):
    emission = emit(elastic(Burst(5, 1)), unit="burst", parameters={})
    broken = emission.verilog.replace("are_many | counted[2]", "are_many")
    assert broken != emission.verilog
    with pytest.raises(cosim.Hang):
        drained(replace(emission, verilog=broken), tools)


def test_core_without_latency_is_refused():
    with pytest.raises(ValueError, match="core's latency must be at least 1 cycle, not 0"):
        Elastic(Burst(0, 1))
