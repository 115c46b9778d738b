# SPDX-License-Identifier: Apache-2.0
"""Systolic array inside the simulator: the tests of every stream unit, and those of tiles."""

import cocotb

from sim_tests.bench import Bench
from sim_tests.stream_bench import *


@cocotb.test()
async def short_tiles_are_spaced_by_the_rows(dut):
    """Tiles of one transfer enter once in ``rows`` cycles: that is how long a result takes to leave."""
    bench = await Bench.start(dut)
    transfers = bench.design.stimuli.random(40, bench.rng)
    transfers["last"] = 1
    await bench.drive(transfers)
    await bench.drain()
    intervals = {after - before for before, after in zip(bench.i.cycles, bench.i.cycles[1:], strict=False)}
    assert intervals == {bench.design.params.rows}, f"intervals {sorted(intervals)}"
    bench.finish()


@cocotb.test()
async def pauses_within_a_tile_add_nothing(dut):
    """A tile of zeros and infinities, with a pause before each transfer."""
    bench = await Bench.start(dut)
    params = bench.design.params
    transfers = bench.design.stimuli.random(max(2, min(params.depth, 12)), bench.rng)
    transfers["last"] = 0
    transfers["last"][-1] = 1
    await bench.drive(transfers, (n % 3 != 0 for n in range(1 << 30)))
    await bench.drain()
    bench.finish()
