# SPDX-License-Identifier: Apache-2.0
"""The two ends of a self-test: what feeds a unit, and what makes a signature of its results.

Both are built from the constants that `golden.signature` computes with, and end in what it says.
"""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from golden.signature import ADDRESS_BITS, PERIOD, START, STATE_BITS, TAPS

__all__ = ["Lfsr", "Signature", "Source"]


class Lfsr(wiring.Component):
    """The address sequence of `golden.signature.addresses`.

    ``address`` is the first after reset or ``restart``, and the next one cycle after ``step``.
    """

    restart: In(1)
    step: In(1)
    address: Out(ADDRESS_BITS)

    def elaborate(self, platform):
        m = Module()
        state = Signal(STATE_BITS, init=START)
        bits = list(state)
        for n in range(ADDRESS_BITS):
            bits.append(Cat(bits[n + tap] for tap in TAPS).xor())
        with m.If(self.restart):
            m.d.sync += state.eq(START)
        with m.Elif(self.step):
            m.d.sync += state.eq(Cat(bits[ADDRESS_BITS:]))
        m.d.comb += self.address.eq(state[:ADDRESS_BITS])
        return m


class Source(wiring.Component):
    """A stream of ``n`` transfers out of a memory, in the order of `Lfsr`, one per cycle while ``o.ready`` is high.

    The first comes two cycles after ``restart``, which drops what is offered. ``is_done`` is high after the last.

    Parameters
    ----------
    words : list of int
        256 payloads.
    width : int
        Bits of a payload.
    n : int
        1 to 65535.
    """

    def __init__(self, words: list[int], width: int, n: int):
        if len(words) != 1 << ADDRESS_BITS:
            raise ValueError(f"words must be {1 << ADDRESS_BITS} payloads, not {len(words)}")
        if not 1 <= n <= PERIOD:
            raise ValueError(f"n must be from 1 to {PERIOD} transfers, not {n!r}")
        self.words, self.n = words, n
        super().__init__({"restart": In(1), "o": Out(stream.Signature(width)), "is_done": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.lfsr = lfsr = Lfsr()
        m.submodules.words = words = Memory(shape=len(self.o.payload), depth=len(self.words), init=self.words)
        word = words.read_port()

        left = Signal(range(self.n + 1), init=self.n)
        fetch = (left != 0) & (~self.o.valid | self.o.ready) & ~self.restart
        m.d.comb += [
            lfsr.restart.eq(self.restart), lfsr.step.eq(fetch),
            word.addr.eq(lfsr.address), word.en.eq(fetch),
            self.o.payload.eq(word.data), self.is_done.eq((left == 0) & ~self.o.valid),
        ]  # fmt: skip
        m.d.sync += self.o.valid.eq(fetch | (self.o.valid & ~self.o.ready & ~self.restart))
        m.d.sync += left.eq(Mux(self.restart, self.n, left - fetch))
        return m


class Signature(wiring.Component):
    """Count and CRC-32 of the results on a stream that never waits, both two cycles after the last one came.

    A result enters as whole bytes, filled up with zeros, the lowest first. ``count`` stops at ``n + 1``.

    Parameters
    ----------
    width : int
        Bits of a result.
    n : int
        Results expected.
    """

    def __init__(self, width: int, n: int):
        self.n = n
        super().__init__(
            {
                "restart": In(1),
                "i": In(stream.Signature(width, always_ready=True)),
                "count": Out(range(n + 2)),
                "crc": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = len(self.i.payload)
        m.submodules.crc = crc = CRC32_ISO_HDLC(data_width=8 * -(-width // 8)).create()
        result = Signal(width, reset_less=True)  # between the unit's output and the tree of exclusive ors
        valid = Signal()
        m.d.sync += [result.eq(self.i.payload), valid.eq(self.i.valid & ~self.restart)]
        m.d.comb += [
            crc.start.eq(self.restart),
            crc.data.eq(result),
            crc.valid.eq(valid & ~self.restart),
            self.crc.eq(crc.crc),
        ]
        with m.If(self.restart):
            m.d.sync += self.count.eq(0)
        with m.Elif(valid & (self.count <= self.n)):
            m.d.sync += self.count.eq(self.count + 1)
        return m
