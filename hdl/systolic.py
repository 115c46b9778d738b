# SPDX-License-Identifier: Apache-2.0
"""Output-stationary systolic array over a semiring::

                 b[0]   b[1] ...            skewed: lane n enters n cycles late
                  |      |
        a[R-1] -> PE ->  PE -> ...          a moves right, b and the results move down, a register per step
                  |      |
        a[R-2] -> PE ->  PE -> ...          row 0 of the result is at the bottom, so that it leaves first
                  :      :
                  |      |
                 deskew: all columns in one cycle -> o

Each processing element holds one element of the result; one that finishes hands it to the drain register beside it and goes
on with the next tile. When a column has finished, its drain registers shift down; the one n rows from the top has passed
everything on after n steps, just before the next tile needs it. So tiles of at least R transfers follow without a gap.

References
----------
H. T. Kung, C. E. Leiserson, "Systolic arrays (for VLSI)", 1978. A. Samajdar et al., "SCALE-Sim", arXiv 1811.02883, for the
cycle count of an output-stationary tile.
"""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from golden.systolic import SystolicParams
from hdl.parts import Repeat, Shared, VerilogPart
from hdl.semiring import accumulate, multiply
from hdl.stream import FreeRunning, delayed

__all__ = ["ProcessingElement", "Skew", "Systolic"]

_MULTIPLY_CYCLES = 2


def _lane_layout(width: int) -> data.StructLayout:
    """An operand of A with its place in the tile. Between tiles: the semiring's zero, neither first nor last."""
    return data.StructLayout({"value": signed(width), "first": 1, "last": 1})


class ProcessingElement(wiring.Component):
    """``acc = add(acc, mul(a, b))``, and a drain register beside it.

    An operand pair is summed 3 cycles after it entered; the last one's sum is in the drain register after 4. Operands and
    ``shift`` leave one cycle after they entered. No register is reset: what a reset leaves behind moves ahead of all that
    enters later, and is overwritten by it before anything is drained.

    Parameters
    ----------
    params : SystolicParams

    Members
    -------
    a_i, a_o : StructLayout({"value": signed(width), "first": 1, "last": 1})
    b_i, b_o : signed(width)
    shift_i, shift_o : 1
        The drain register takes the one above.
    drain_i, drain_o : signed(result_width)
    """

    def __init__(self, params: SystolicParams):
        self.params = params
        lane, operand, result = _lane_layout(params.width), signed(params.width), signed(params.result_width)
        super().__init__({
            "a_i": In(lane), "a_o": Out(lane),
            "b_i": In(operand), "b_o": Out(operand),
            "shift_i": In(1), "shift_o": Out(1),
            "drain_i": In(result), "drain_o": Out(result),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        result = signed(self.params.result_width)
        algebra, width = self.params.algebra, self.params.width

        # Operands pass on.
        a = Signal(_lane_layout(width), reset_less=True)
        b = Signal(signed(width), reset_less=True)
        shift = Signal(reset_less=True)
        m.d.sync += [a.eq(self.a_i), b.eq(self.b_i), shift.eq(self.shift_i)]
        m.d.comb += [self.a_o.eq(a), self.b_o.eq(b), self.shift_o.eq(shift)]

        # Product, with its place in the tile beside it.
        term = multiply(m, algebra, a.value, b, result)
        first, last = a.first, a.last
        for n in range(_MULTIPLY_CYCLES):
            next_first = Signal(reset_less=True, name=f"first_{n}")
            next_last = Signal(reset_less=True, name=f"last_{n}")
            m.d.sync += [next_first.eq(first), next_last.eq(last)]
            first, last = next_first, next_last

        # Sum: the one loop of the array.
        accumulator = Signal(result, reset_less=True)
        total = Signal(result)
        m.d.comb += total.eq(Mux(first, term, accumulate(algebra, accumulator, term)))
        m.d.sync += accumulator.eq(total)

        # Drain.
        drain = Signal(result, reset_less=True)
        with m.If(last):
            m.d.sync += drain.eq(total)
        with m.Elif(shift):
            m.d.sync += drain.eq(self.drain_i)
        m.d.comb += self.drain_o.eq(drain)
        return m


class Skew(VerilogPart):
    """Lanes delayed by different numbers of cycles: lane n by n cycles, or by lanes - 1 - n if ``falling``.

    Parameters
    ----------
    lanes : int
        At least 1; lane 0 is in the lowest bits.
    width : int
        Bits of a lane.
    falling : bool
    """

    verilog = """\
module trme_skew #(parameter LANES = 4, parameter WIDTH = 16, parameter FALLING = 0) (
  input clk,
  input [LANES*WIDTH-1:0] i,
  output [LANES*WIDTH-1:0] o
);
  genvar n;
  generate
    for (n = 0; n < LANES; n = n + 1) begin : lanes
      localparam CYCLES = (FALLING != 0) ? LANES - 1 - n : n;
      if (CYCLES == 0) begin : direct
        assign o[n*WIDTH +: WIDTH] = i[n*WIDTH +: WIDTH];
      end else begin : delayed
        reg [CYCLES*WIDTH-1:0] line;
        wire [(CYCLES+1)*WIDTH-1:0] taps = {line, i[n*WIDTH +: WIDTH]};
        always @(posedge clk) line <= taps[CYCLES*WIDTH-1:0];
        assign o[n*WIDTH +: WIDTH] = taps[CYCLES*WIDTH +: WIDTH];
      end
    end
  endgenerate
endmodule
"""

    def __init__(self, lanes: int, width: int, *, falling: bool = False):
        super().__init__(
            "trme_skew",
            {"i": lanes * width},
            {"o": lanes * width},
            {"LANES": lanes, "WIDTH": width, "FALLING": int(falling)},
        )


class Systolic(FreeRunning):
    """A tile of C = A * B: one column of A and one row of B per transfer in, one row of C per transfer out.

    The first row leaves rows + cols + 2 cycles after the tile's last transfer entered, the others in the cycles after it.
    One transfer per cycle; tiles of fewer than ``rows`` transfers are spaced so that their ends are ``rows`` cycles apart.
    Cycles without a transfer do no harm anywhere. After reset the next transfer begins a tile.

    Parameters
    ----------
    params : SystolicParams

    Members
    -------
    i : payload StructLayout({"a": ArrayLayout(signed(width), rows), "b": ArrayLayout(signed(width), cols), "last": 1})
    o : payload StructLayout({"c": ArrayLayout(signed(result_width), cols), "last": 1})
    """

    def __init__(self, params: SystolicParams):
        self.params = params
        operand, result = signed(params.width), signed(params.result_width)
        super().__init__(
            data.StructLayout(
                {
                    "a": data.ArrayLayout(operand, params.rows),
                    "b": data.ArrayLayout(operand, params.cols),
                    "last": 1,
                }
            ),
            data.StructLayout({"c": data.ArrayLayout(result, params.cols), "last": 1}),
        )

    @property
    def latency(self) -> int:
        """Cycles from a tile's last transfer to the first row of its result."""
        return self.params.rows + self.params.cols + 2

    @property
    def results_per_item(self) -> int:
        """Rows that leave for a tile's last transfer."""
        return self.params.rows

    def completes(self, payload):
        return payload.last

    def _array(self) -> Repeat:
        params = self.params
        name = f"trme_pe_{params.semiring.replace('-', '_')}_{params.width}_{params.result_width}"
        pe = Shared(name, ProcessingElement, params)
        row = Repeat(
            pe, params.cols, name=f"{name}_row", parameter="COLS",
            links={"a_o": "a_i", "shift_o": "shift_i"},
        )  # fmt: skip
        return Repeat(
            row, params.rows, name=f"{name}_array", parameter="ROWS",
            links={"b_o": "b_i", "drain_o": "drain_i"}, ends=("drain_o",),
        )  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        rows, cols, width = self.params.rows, self.params.cols, self.params.width
        lane = _lane_layout(width)
        m.submodules.array = array = self._array().instance()
        m.submodules.skew_a = skew_a = Skew(rows, lane.size).instance()
        m.submodules.skew_b = skew_b = Skew(cols, width).instance()
        m.submodules.deskew = deskew = Skew(cols, self.params.result_width, falling=True).instance()

        # Place in the tile.
        is_first = Signal(init=1)
        last = self.i.valid & self.i.payload.last
        with m.If(self.i.valid):
            m.d.sync += is_first.eq(self.i.payload.last)

        # Operands: a cycle without a transfer is a product with the semiring's zero, which adds nothing.
        for n in range(rows):
            operand = Signal(lane, name=f"a_{n}")
            m.d.comb += [
                operand.value.eq(Mux(self.i.valid, self.i.payload.a[rows - 1 - n], self.params.zero)),
                operand.first.eq(self.i.valid & is_first),
                operand.last.eq(last),
                skew_a.i[n * lane.size : (n + 1) * lane.size].eq(operand),
            ]
        m.d.comb += [
            skew_b.i.eq(self.i.payload.b.as_value()),
            array.a_i.eq(skew_a.o),
            array.b_i.eq(skew_b.o),
        ]

        # Drain: bit n of `shifting` is for n more cycles the order to row n, and bit `rows` says that a row is leaving.
        shifting = Signal(rows + 1)
        begin = delayed(m, last, rows + 1, name="finishing")
        m.d.sync += shifting.eq(Mux(begin, ~1, shifting << 1))
        m.d.comb += array.shift_i.eq(shifting[:rows])

        # Results.
        m.d.comb += [
            deskew.i.eq(array.drain_o),
            self.o.payload.c.as_value().eq(deskew.o),
            self.o.payload.last.eq(delayed(m, shifting[rows] & ~shifting[rows - 1], cols, name="leaving_last")),
            self.o.valid.eq(delayed(m, shifting[rows], cols, name="leaving")),
        ]
        return m
