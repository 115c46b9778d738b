# SPDX-License-Identifier: Apache-2.0
"""The registered multiplier: plain Verilog, and the place where a technology map puts a device's own (synth/maps/)."""

from hdl.parts import VerilogPart

__all__ = ["MULTIPLY_CYCLES", "Multiplier"]

MULTIPLY_CYCLES = 3
"""Cycles from operands to product: a register on each side of the multiplier and one inside, as DSP blocks have them."""


class Multiplier(VerilogPart):
    """``p = a * b``, `MULTIPLY_CYCLES` cycles later, a new pair every cycle; no reset.

    Inputs ``a`` and ``b``; output ``p``, as wide as both together, which never overflows.

    Parameters
    ----------
    a_width, b_width : int
        Bits, at least 1.
    signed : bool
        Whether both are two's complement.
    """

    verilog = """\
module trme_multiply #(parameter A_WIDTH = 8, parameter B_WIDTH = 8, parameter SIGNED = 0) (
  input clk,
  input [A_WIDTH-1:0] a,
  input [B_WIDTH-1:0] b,
  output reg [A_WIDTH+B_WIDTH-1:0] p
);
  reg [A_WIDTH-1:0] a_in;
  reg [B_WIDTH-1:0] b_in;
  reg [A_WIDTH+B_WIDTH-1:0] product;
  wire [A_WIDTH+B_WIDTH-1:0] a_wide = {{B_WIDTH{(SIGNED != 0) & a_in[A_WIDTH-1]}}, a_in};
  wire [A_WIDTH+B_WIDTH-1:0] b_wide = {{A_WIDTH{(SIGNED != 0) & b_in[B_WIDTH-1]}}, b_in};
  always @(posedge clk) begin
    a_in <= a;
    b_in <= b;
    product <= a_wide * b_wide;
    p <= product;
  end
endmodule
"""

    def __init__(self, a_width: int, b_width: int, *, signed: bool = False):
        super().__init__(
            "trme_multiply",
            {"a": a_width, "b": b_width},
            {"p": a_width + b_width},
            {"A_WIDTH": a_width, "B_WIDTH": b_width, "SIGNED": int(signed)},
        )
