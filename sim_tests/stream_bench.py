# SPDX-License-Identifier: Apache-2.0
"""The cocotb tests that every stream unit has to pass. A family's bench imports them, and adds its own."""

import cocotb

from sim_tests.bench import Bench

__all__ = [
    "directed_cases_agree",
    "isolated_results_have_the_declared_latency",
    "random_cases_with_pauses_agree",
    "reset_in_flight_drops_everything",
    "stalled_output_holds_and_loses_nothing",
    "steady_input_has_the_declared_interval",
]


@cocotb.test()
async def directed_cases_agree(dut):
    """The edge cases, both sides free."""
    bench = await Bench.start(dut)
    await bench.drive(bench.design.stimuli.directed()[: 4 * bench.length])
    await bench.drain()
    bench.finish()


@cocotb.test()
async def random_cases_with_pauses_agree(dut):
    """Random cases with random pauses on both sides: seldom, often, and one side only."""
    bench = await Bench.start(dut)
    for driver, sink in ((0.5, 0.0), (0.0, 0.5), (0.2, 0.2), (0.0, 0.9)):
        bench.sink_pauses(bench.pausing(sink))
        await bench.drive(bench.design.stimuli.random(bench.length, bench.rng), bench.pausing(driver))
    bench.sink_pauses()
    await bench.drain()
    bench.finish()


@cocotb.test()
async def stalled_output_holds_and_loses_nothing(dut):
    """The sink takes nothing until the input has stalled for long, then everything."""
    bench = await Bench.start(dut)
    stalled = 6 * (bench.length + bench.manifest.latency_cycles)
    bench.sink_pauses(n < stalled for n in range(1 << 30))
    await bench.drive(bench.design.stimuli.random(2 * bench.length, bench.rng))
    await bench.drain()
    bench.finish()


@cocotb.test()
async def reset_in_flight_drops_everything(dut):
    """After a reset at any moment nothing old comes out, and what enters in the next cycle is computed."""
    bench = await Bench.start(dut)
    for distance in (
        1,
        2,
        bench.manifest.latency_cycles // 2,
        bench.manifest.latency_cycles,
        bench.manifest.latency_cycles + 3,
    ):
        transfers = bench.design.stimuli.random(distance + 8, bench.rng)
        bench.sink_pauses(bench.pausing(0.5))
        await bench.drive(transfers[: max(distance, 1)])
        await bench.reset()
        bench.sink_pauses()
        assert not int(dut.o__valid.value), "o.valid is high right after reset"
        await bench.drive(bench.design.stimuli.random(20, bench.rng))
        await bench.drain()
    bench.finish()


@cocotb.test()
async def isolated_results_have_the_declared_latency(dut):
    """One result at a time through an empty unit."""
    bench = await Bench.start(dut)
    stimuli = bench.design.stimuli
    latencies = set()
    for n in range(1, 9):
        transfers = stimuli.random(n, bench.rng)
        cause = stimuli.cause(transfers, 0)
        await bench.reset()
        await bench.drive(transfers[cause])
        await bench.drain()
        latencies.add(bench.o.first_valid[0] - bench.i.cycles[-1])
    assert latencies == {bench.manifest.latency_cycles}, f"measured {latencies}, declared {bench.manifest.latency_cycles}"
    bench.finish(latency_cycles=latencies.pop())


@cocotb.test()
async def steady_input_has_the_declared_interval(dut):
    """Both sides free: the input is never held back."""
    bench = await Bench.start(dut)
    await bench.drive(bench.design.stimuli.steady(bench.length, bench.rng))
    await bench.drain()
    intervals = {after - before for before, after in zip(bench.i.cycles, bench.i.cycles[1:], strict=False)}
    declared = bench.manifest.initiation_interval_cycles
    assert intervals == {declared}, f"measured intervals {sorted(intervals)}, declared {declared}"
    bench.finish(interval_cycles=max(intervals))
