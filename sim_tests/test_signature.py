# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from amaranth.sim import Simulator

from golden.signature import ADDRESS_BITS, PERIOD, START, STATE_BITS, TAPS, addresses, signature
from hdl.signature import Lfsr, Signature, Source


def shift(state):
    """One bit on, by the definition."""
    return state >> 1 | (sum(state >> tap for tap in TAPS) & 1) << STATE_BITS - 1


def test_addresses_are_those_of_a_register_that_moves_bit_by_bit():
    state, expected = START, []
    for _ in range(PERIOD):
        expected.append(state & (1 << ADDRESS_BITS) - 1)
        for _ in range(ADDRESS_BITS):
            state = shift(state)
    assert state == START
    assert (addresses(PERIOD) == expected).all()
    assert (addresses(100) == expected[:100]).all()
    assert len(addresses(0)) == 0


def test_every_address_follows_every_other_once():
    order = addresses(PERIOD).astype(int)
    pairs = order * 256 + np.roll(order, -1)
    assert sorted(pairs) == [*range(1, 1 << STATE_BITS)]


def test_signature_is_the_crc_bit_by_bit():
    rows = np.random.default_rng(1).integers(0, 256, (20, 3), np.uint8)
    crc = 0xFFFFFFFF
    for byte in rows.ravel():
        for n in range(8):
            low = (crc ^ int(byte) >> n) & 1
            crc = crc >> 1 ^ (0xEDB88320 if low else 0)
    assert signature(rows) == crc ^ 0xFFFFFFFF
    assert signature(np.frombuffer(b"123456789", np.uint8).reshape(3, 3)) == 0xCBF43926  # the check value of all catalogues


def test_lfsr_goes_through_the_addresses_and_starts_again():
    dut = Lfsr()
    order = addresses(40)

    async def bench(ctx):
        for n in range(40):
            assert ctx.get(dut.address) == order[n]
            ctx.set(dut.step, 0)
            await ctx.tick()
            assert ctx.get(dut.address) == order[n]
            ctx.set(dut.step, 1)
            await ctx.tick()
        ctx.set(dut.restart, 1)
        await ctx.tick()
        assert ctx.get(dut.address) == order[0]

    simulate(dut, bench)


def test_source_offers_its_words_in_order_whoever_pauses():
    rng = np.random.default_rng(2)
    words = [int(word) for word in rng.integers(0, 1 << 12, 256)]
    dut = Source(words, 12, 30)

    async def bench(ctx):
        for pauses in (0.0, 0.6):
            taken, cycles = [], 0
            while not ctx.get(dut.is_done):
                ready = rng.random() >= pauses
                ctx.set(dut.o.ready, ready)
                if ctx.get(dut.o.valid) and ready:
                    taken.append(ctx.get(dut.o.payload))
                await ctx.tick()
                cycles += 1
            assert taken == [words[n] for n in addresses(30)]
            assert pauses or cycles == 31
            ctx.set(dut.restart, 1)
            await ctx.tick()
            ctx.set(dut.restart, 0)

    simulate(dut, bench)


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_signature_in_hardware_is_goldens():
    rng = np.random.default_rng(4)
    for width in (8, 17, 40):
        size = -(-width // 8)
        results = [int.from_bytes(rng.bytes(size), "little") & (1 << width) - 1 for _ in range(12)]
        rows = np.array([list(result.to_bytes(size, "little")) for result in results], np.uint8)
        dut = Signature(width, 12)

        async def bench(ctx, dut=dut, results=results, rows=rows):
            for n_results, count in ((12, 12), (20, 13)):
                ctx.set(dut.restart, 1)
                await ctx.tick()
                ctx.set(dut.restart, 0)
                for n in range(n_results):
                    ctx.set(dut.i.payload, results[n % 12])
                    ctx.set(dut.i.valid, 1)
                    await ctx.tick()
                    ctx.set(dut.i.valid, 0)
                    for _ in range(n % 3):
                        await ctx.tick()
                await ctx.tick()
                assert ctx.get(dut.count) == count  # it stops one above what is expected
                if n_results == 12:
                    assert ctx.get(dut.crc) == signature(rows)

        simulate(dut, bench)


def test_bad_sources_are_refused():
    with pytest.raises(ValueError, match="words must be 256 payloads, not 3"):
        Source([1, 2, 3], 8, 10)
    with pytest.raises(ValueError, match="n must be from 1 to 65535 transfers, not 65536"):
        Source([0] * 256, 8, 65536)
