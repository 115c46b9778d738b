# SPDX-License-Identifier: Apache-2.0
"""Streams around free-running pipelines.

A datapath never stalls: valid travels with the data. `Elastic` gives such a datapath streams with back-pressure, by
admitting an item only when places for its results are already reserved::

    i --(accept)--> free-running core --> result memory --> o
          ^                                      |
          +-- places left? <-- one place back ---+
"""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.parts import VerilogPart

__all__ = ["Elastic", "FreeRunning", "delayed"]


def delayed(m: Module, signal: Value, cycles: int, *, name: str) -> Value:
    """A one-bit signal some cycles later, low until then after reset."""
    if cycles == 0:
        return signal
    line = Signal(cycles, name=name)
    m.d.sync += line.eq(Cat(signal, line))
    return line[-1]


class FreeRunning(wiring.Component):
    """A pipeline that never stalls, the core of a unit.

    Its streams ``i`` and ``o`` are always ready. One item may enter per cycle. An item that completes a result yields a run
    of ``results_per_item`` results in consecutive cycles, the first ``latency`` cycles after it entered; items that complete
    something must be at least ``results_per_item`` cycles apart.

    Parameters
    ----------
    i_shape, o_shape : ShapeLike
        Payloads.
    """

    latency: int
    initiation_interval = 1
    results_per_item = 1

    def __init__(self, i_shape, o_shape):
        self.i_shape, self.o_shape = i_shape, o_shape
        super().__init__(
            {
                "i": In(stream.Signature(i_shape, always_ready=True)),
                "o": Out(stream.Signature(o_shape, always_ready=True)),
            }
        )

    def completes(self, payload) -> Value:
        """Whether the item ``payload`` yields results."""
        return C(1)


class ResultMemory(VerilogPart):
    """A memory with one write and one read port, read data registered: block RAM on most devices. Not initialised.

    Inputs ``w_en``, ``w_addr``, ``w_data``, ``r_en``, ``r_addr``; output ``r_data``, which changes in the cycle after
    ``r_en`` only.
    """

    verilog = """\
module trme_memory #(parameter WIDTH = 8, parameter ADDRESS_BITS = 4) (
  input clk,
  input w_en,
  input [ADDRESS_BITS-1:0] w_addr,
  input [WIDTH-1:0] w_data,
  input r_en,
  input [ADDRESS_BITS-1:0] r_addr,
  output reg [WIDTH-1:0] r_data
);
  reg [WIDTH-1:0] words [0:(1<<ADDRESS_BITS)-1];
  always @(posedge clk) begin
    if (w_en) words[w_addr] <= w_data;
    if (r_en) r_data <= words[r_addr];
  end
endmodule
"""

    def __init__(self, width: int, address_bits: int):
        super().__init__(
            "trme_memory",
            {"w_en": 1, "w_addr": address_bits, "w_data": width, "r_en": 1, "r_addr": address_bits},
            {"r_data": width},
            {"WIDTH": width, "ADDRESS_BITS": address_bits},
        )


class Elastic(wiring.Component):
    """A free-running core between two streams with back-pressure.

    Results leave in order. With ``o.ready`` high the core's initiation interval is kept. An item that completes a result is
    held back while the places for its run are not free, or the run before it is not over; other items never are. No path
    leads from ``o`` to ``i.ready`` within a cycle; one leads from ``i.payload`` if only some items complete a result. A
    reset drops all that is in flight.

    Parameters
    ----------
    core : FreeRunning

    Members
    -------
    i : In(stream.Signature(shape of core.i's payload))
    o : Out(stream.Signature(shape of core.o's payload))
    """

    def __init__(self, core: FreeRunning):
        if core.latency < 1:
            raise ValueError(f"core's latency must be at least 1 cycle, not {core.latency!r}")
        self.core = core
        super().__init__(
            {
                "i": In(stream.Signature(core.i_shape)),
                "o": Out(stream.Signature(core.o_shape)),
            }
        )

    @property
    def initiation_interval(self) -> int:
        """Cycles from one item to the next, as the core's."""
        return self.core.initiation_interval

    @property
    def latency(self) -> int:
        """Cycles from a transfer on ``i`` to its first result on ``o``, both sides free: one to write, one to read."""
        return self.core.latency + 2

    @property
    def depth(self) -> int:
        """Places for results.

        At one run of n results every n cycles, latency results are outstanding when the next n places are asked for.
        """
        return 1 << ceil_log2(self.latency + self.core.results_per_item)

    def elaborate(self, platform):
        m = Module()
        core, run = self.core, self.core.results_per_item
        address_bits = ceil_log2(self.depth)
        m.submodules.core = core
        m.submodules.memory = memory = ResultMemory(Shape.cast(core.o_shape).width, address_bits).instance()

        accept = self.i.valid & self.i.ready
        emit = self.o.valid & self.o.ready
        completes = core.completes(self.i.payload)

        # Admission: a place is reserved for each result of the run before the item that starts it enters.
        places = Signal(range(self.depth + 1), init=self.depth)
        m.d.sync += places.eq(places + emit - Mux(accept & completes, run, 0))
        admit = places >= run
        if run > 1:
            spacing = Signal(range(run))  # cycles until the run before is over
            with m.If(accept & completes):
                m.d.sync += spacing.eq(run - 1)
            with m.Elif(spacing != 0):
                m.d.sync += spacing.eq(spacing - 1)
            admit &= spacing == 0
        m.d.comb += self.i.ready.eq(admit | ~completes)

        # Core.
        m.d.comb += [core.i.payload.eq(self.i.payload), core.i.valid.eq(accept)]

        # Results: `waiting` counts words written and not yet fetched; a fetch refills the output as it empties.
        w_addr = Signal(address_bits)
        r_addr = Signal(address_bits)
        waiting = Signal(range(self.depth + 1))
        fetch = (waiting != 0) & (~self.o.valid | self.o.ready)
        m.d.comb += [
            memory.w_en.eq(core.o.valid), memory.w_addr.eq(w_addr), memory.w_data.eq(core.o.payload),
            memory.r_en.eq(fetch), memory.r_addr.eq(r_addr), self.o.payload.eq(memory.r_data),
        ]  # fmt: skip
        m.d.sync += [
            w_addr.eq(w_addr + core.o.valid),
            r_addr.eq(r_addr + fetch),
            waiting.eq(waiting + core.o.valid - fetch),
            self.o.valid.eq(fetch | (self.o.valid & ~self.o.ready)),
        ]
        return m
