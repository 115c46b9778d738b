# SPDX-License-Identifier: Apache-2.0
"""Modular multiplier inside the simulator: the tests of every stream unit, and every pair of small residues."""

import cocotb

from sim_tests.bench import Bench
from sim_tests.stream_bench import *


@cocotb.test()
async def the_largest_residues_agree_in_all_pairs(dut):
    """Where the quotient estimate is nearest to failing."""
    bench = await Bench.start(dut)
    every = bench.design.stimuli.every()
    floor = bench.design.params.modulus - 24
    await bench.drive(every[(every["a"] >= floor) & (every["b"] >= floor)])
    await bench.drain()
    bench.finish()
