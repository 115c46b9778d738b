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


_COUNT_CYCLES = 3
"""Cycles from an event to the admission that first knows of it: registers of event, count, and comparison."""


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

        At one run of n results every n cycles, latency results are outstanding by the count at an admission, or two more: from
        three results in a run on, the count may already have the run before, and not yet what left since.
        """
        return 1 << ceil_log2(self.latency + _COUNT_CYCLES - 1 + self._threshold)

    @property
    def _threshold(self) -> int:
        """Places that must be counted as free before a run is admitted: those of the run, and of runs not counted yet."""
        run = self.core.results_per_item
        return run * (1 + (_COUNT_CYCLES - 1) // run)

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
        begin = accept & completes
        freed = Signal(range(-run, 2))
        places = Signal(range(self.depth + 1), init=self.depth)
        room = Signal(init=1)
        m.d.sync += [
            freed.eq(Mux(begin, Mux(emit, 1 - run, -run), emit)),
            places.eq(places + freed), room.eq(places >= self._threshold),
        ]  # fmt: skip
        admit = room
        if run > 1:
            is_over = Signal(init=1)  # the run before
            cycles_left = Signal(range(run))
            with m.If(begin):
                m.d.sync += [is_over.eq(0), cycles_left.eq(run - 1)]
            with m.Else():
                m.d.sync += [is_over.eq(is_over | (cycles_left == 1)), cycles_left.eq(cycles_left - 1)]
            admit = room & is_over
        m.d.comb += self.i.ready.eq(admit | ~completes)

        # Core.
        m.d.comb += [core.i.payload.eq(self.i.payload), core.i.valid.eq(accept)]

        # Results: a fetch refills the output as it empties. It is known late in a cycle, so `counted`, the words written and
        # not yet fetched, learns of it a cycle later.
        w_addr = Signal(address_bits)
        r_addr = Signal(address_bits)
        counted = Signal(range(self.depth + 1))
        change = Signal(range(-1, 2))
        is_any = Signal()
        are_many = Signal()  # 4 a cycle ago, so 2 at least
        few = Mux(change == 1, counted[:2].any(), Mux(change == -1, counted[:2].all(), counted[1]))
        are_more = are_many | counted[2:3].any() | few
        push = core.o.valid
        fetch = Signal()
        m.d.comb += [
            fetch.eq(is_any & (~self.o.valid | self.o.ready)),
            memory.w_en.eq(push), memory.w_addr.eq(w_addr), memory.w_data.eq(core.o.payload),
            memory.r_en.eq(fetch), memory.r_addr.eq(r_addr), self.o.payload.eq(memory.r_data),
        ]  # fmt: skip
        m.d.sync += [
            w_addr.eq(w_addr + push),
            change.eq(Mux(push, ~fetch, Mux(fetch, -1, 0))),
            counted.eq(counted + change),
            are_many.eq(counted[2:].any()),
            is_any.eq(push | Mux(fetch, are_more, is_any)),
            self.o.valid.eq(fetch | (self.o.valid & ~self.o.ready)),
        ]
        with m.If(fetch):
            m.d.sync += r_addr.eq(r_addr + 1)
        return m
