# SPDX-License-Identifier: Apache-2.0
"""Output-stationary systolic array over a semiring::

                 b[0]   b[1] ...            skewed: lane n enters n cycles late
                  |      |
        a[R-1] -> PE ->  PE -> ...          a moves right, b and the results move down, a register per step
                  |      |
        a[R-2] -> PE ->  PE -> ...          row 0 of the result is at the bottom, so that it leaves first
                  :      :
                  |      |
                 decode, deskew: all columns in one cycle -> o

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
from hdl.semiring import ENCODE_CYCLES, Decoder, Encoder, circuit
from hdl.stream import FreeRunning, delayed

__all__ = ["ProcessingElement", "Skew", "Systolic"]


class Control(data.Struct):
    """What a row's processing elements are told, one after the other.

    ``first``: what is summed in this cycle begins a tile. ``finished``: the sum of the cycle before ended one. ``drain``: the
    drain register takes the sum if ``finished``, or else the drain register above.
    """

    first: 1
    finished: 1
    drain: 1


class ProcessingElement(wiring.Component):
    """``acc = add(acc, mul(a, b))`` on codes of `hdl.semiring`, and a drain register beside it.

    Operands and control leave one cycle after they entered. With S the semiring's ``sum_cycles``, an operand pair is
    in the sum S + 1 cycles after it entered; ``first`` of the pair enters S - 1 cycles after it, ``finished`` S cycles after
    it, and puts the sum into the drain register. No register is reset: what a reset leaves behind moves ahead of all that
    enters later, and is overwritten by it before anything drains.

    Parameters
    ----------
    params : SystolicParams

    Members
    -------
    a_i, a_o, b_i, b_o : shape of an operand's code
    control_i, control_o : Control
    drain_i, drain_o : shape of a sum's code
    """

    def __init__(self, params: SystolicParams):
        self.semiring = circuit(params)
        operand, total = self.semiring.operand, self.semiring.total
        super().__init__({
            "a_i": In(operand), "a_o": Out(operand),
            "b_i": In(operand), "b_o": Out(operand),
            "control_i": In(Control), "control_o": Out(Control),
            "drain_i": In(total), "drain_o": Out(total),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        semiring = self.semiring

        # What comes in is passed on.
        a = Signal(semiring.operand, reset_less=True)
        b = Signal(semiring.operand, reset_less=True)
        control = Signal(Control, reset_less=True)
        m.d.sync += [a.eq(self.a_i), b.eq(self.b_i), control.eq(self.control_i)]
        m.d.comb += [self.a_o.eq(a), self.b_o.eq(b), self.control_o.eq(control)]

        # Sum and drain.
        total = semiring.sum(m, a, b, control.first)
        drain = Signal(semiring.total, reset_less=True)
        with m.If(control.drain):
            m.d.sync += drain.eq(Mux(control.finished, total, self.drain_i))
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

    The first row leaves ``latency`` cycles after the tile's last transfer entered, the others in the cycles after it: rows +
    cols + 6. One transfer per cycle; tiles of fewer than ``rows``
    transfers are spaced so that their ends are ``rows`` cycles apart. Cycles without a transfer do no harm anywhere. After
    reset the next transfer begins a tile.

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
        self.semiring = circuit(params)
        operand, result = signed(params.width), signed(params.result_width)
        inputs = {"a": data.ArrayLayout(operand, params.rows), "b": data.ArrayLayout(operand, params.cols), "last": 1}
        outputs = {"c": data.ArrayLayout(result, params.cols), "last": 1}
        super().__init__(data.StructLayout(inputs), data.StructLayout(outputs))

    @property
    def latency(self) -> int:
        """Cycles from a tile's last transfer to the first row of its result."""
        stages = ENCODE_CYCLES + self.semiring.sum_cycles + self.semiring.decode_cycles
        return self.params.rows + self.params.cols + stages

    @property
    def results_per_item(self) -> int:
        """Rows that leave for a tile's last transfer."""
        return self.params.rows

    def completes(self, payload):
        return payload.last

    def _array(self) -> Repeat:
        block = f"pe_{self.params.pe}"
        name = self._name(block)
        row = Repeat(
            self._shared(block, ProcessingElement), self.params.cols, name=f"{name}_row", parameter="COLS",
            links={"a_o": "a_i", "control_o": "control_i"}, is_repeated=True,
        )  # fmt: skip
        return Repeat(
            row, self.params.rows, name=f"{name}_array", parameter="ROWS",
            links={"b_o": "b_i", "drain_o": "drain_i"}, ends=("drain_o",),
        )  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        rows, cols, semiring = self.params.rows, self.params.cols, self.semiring
        m.submodules.array = array = self._array().instance()
        control = self._control(m)
        m.d.comb += array.control_i.eq(control)

        # Operands: a cycle without a transfer is a product with the semiring's zero, which adds nothing. Row 0 is lowest.
        lanes = {"a": self.i.payload.a.as_value(), "b": self.i.payload.b.as_value()}
        width = self.params.width
        lanes["a"] = Cat(lanes["a"].word_select(n, width) for n in reversed(range(rows)))
        for name, values in lanes.items():
            count = len(values) // width
            encoders = Repeat(
                self._shared("encode", Encoder),
                count,
                name=f"{self._name('encode')}_{name}",
                parameter="LANES",
                common=("valid",),
            ).instance()
            skew = Skew(count, semiring.operand.width).instance()
            m.submodules[f"encode_{name}"], m.submodules[f"skew_{name}"] = encoders, skew
            m.d.comb += [
                encoders.valid.eq(self.i.valid), encoders.value.eq(values),
                skew.i.eq(encoders.code), getattr(array, f"{name}_i").eq(skew.o),
            ]  # fmt: skip

        # Results.
        m.submodules.deskew = deskew = Skew(cols, self.params.result_width, falling=True).instance()
        if semiring.decode_cycles:
            decoders = Repeat(
                self._shared("decode", Decoder), cols, name=f"{self._name('decode')}_lanes", parameter="LANES"
            ).instance()
            m.submodules.decode = decoders
            m.d.comb += [decoders.code.eq(array.drain_o), deskew.i.eq(decoders.value)]
        else:
            m.d.comb += deskew.i.eq(array.drain_o)
        m.d.comb += self.o.payload.c.as_value().eq(deskew.o)
        return m

    def _name(self, block: str) -> str:
        params = self.params
        return f"trme_{block}_{params.semiring.replace('-', '_')}_{params.width}_{params.result_width}"

    def _shared(self, block: str, component: type) -> Shared:
        return Shared(self._name(block), component, self.params)

    def _control(self, m: Module) -> Value:
        """Place in the tile and drain, as the rows' `Control` side by side; drives what goes with the results."""
        rows, cols, semiring = self.params.rows, self.params.cols, self.semiring

        # Place in the tile, a cycle before it reaches a processing element, where the product is there to be summed.
        is_first = Signal(init=1)
        with m.If(self.i.valid):
            m.d.sync += is_first.eq(self.i.payload.last)
        ahead = ENCODE_CYCLES + semiring.sum_cycles
        first = delayed(m, self.i.valid & is_first, ahead - 2, name="first")
        finished = delayed(m, self.i.valid & self.i.payload.last, ahead - 1, name="finished")
        m.submodules.skew_place = skew_place = Skew(rows, 2).instance()
        m.d.comb += skew_place.i.eq(Cat(first, finished).replicate(rows))

        # Drain: bit n of `shifting` is for n more cycles the order to row n, and bit `rows` says that a row is leaving.
        shifting = Signal(rows + 1)
        m.d.sync += shifting.eq(Mux(delayed(m, finished, rows - 1, name="finishing"), ~1, shifting << 1))
        leaving = 1 + cols + semiring.decode_cycles
        m.d.comb += [
            self.o.payload.last.eq(delayed(m, shifting[rows] & ~shifting[rows - 1], leaving, name="leaving_last")),
            self.o.valid.eq(delayed(m, shifting[rows], leaving, name="leaving")),
        ]
        control = Signal(rows * Shape.cast(Control).width, reset_less=True)
        places = [skew_place.o.word_select(n, 2) for n in range(rows)]
        m.d.sync += control.eq(Cat(Cat(place, place[1] | shifting[n]) for n, place in enumerate(places)))
        return control
