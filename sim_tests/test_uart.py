# SPDX-License-Identifier: Apache-2.0
import pytest
from amaranth.sim import Simulator

from hdl.uart import LineSender, UartTransmitter


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_uart_sends_what_the_standard_says():
    dut = UartTransmitter(3)

    async def bench(ctx):
        assert ctx.get(dut.tx) == 1
        ctx.set(dut.i.payload, 0xA6)
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        seen = []
        for _ in range(30):
            seen.append(ctx.get(dut.tx))
            assert not ctx.get(dut.i.ready)
            await ctx.tick()
        assert seen == [bit for bit in (0, 0, 1, 1, 0, 0, 1, 0, 1, 1) for _ in range(3)]
        assert ctx.get(dut.i.ready)

    simulate(dut, bench)


def test_line_has_verdict_and_digits():
    dut = LineSender("unit x=1")

    async def bench(ctx):
        for failed, value, expected in (
            (0, 0x0123ABCD, "unit x=1 PASS 0123abcd\r\n"),
            (1, 0xF000000E, "unit x=1 FAIL f000000e\r\n"),
        ):
            assert ctx.get(dut.ready)
            ctx.set(dut.failed, failed)
            ctx.set(dut.value, value)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            ctx.set(dut.value, 0)  # taken at the start
            ctx.set(dut.failed, 0)
            line = ""
            while not ctx.get(dut.ready):
                ready = len(line) % 3 != 1 or ctx.get(dut.o.ready) == 0
                ctx.set(dut.o.ready, ready)
                if ctx.get(dut.o.valid) and ready:
                    line += chr(ctx.get(dut.o.payload))
                await ctx.tick()
            assert line == expected

    simulate(dut, bench)


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="divisor must be at least 2 cycles per bit, not 1"):
        UartTransmitter(1)
    with pytest.raises(ValueError, match="title must be printable ASCII, not 'Ä'"):
        LineSender("Ä")
