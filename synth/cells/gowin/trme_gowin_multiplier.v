// SPDX-License-Identifier: Apache-2.0
// What MULT9X9, MULT18X18 and MULT36X36 share.

// One register of a DSP, or a wire. The reset wins over the enable.
module trme_gowin_dsp_register #(parameter WIDTH = 1, parameter USED = 0, parameter RESET_MODE = "SYNC") (
  input clk, input ce, input reset,
  input [WIDTH-1:0] d,
  output [WIDTH-1:0] q
);
  reg [WIDTH-1:0] state;
  initial state = {WIDTH{1'b0}};
  assign q = USED ? state : d;
  generate
    if (RESET_MODE == "ASYNC") begin : asynchronous
      always @(posedge clk or posedge reset)
        if (reset) state <= {WIDTH{1'b0}};
        else if (ce) state <= d;
    end else if (RESET_MODE == "SYNC") begin : synchronous
      always @(posedge clk)
        if (reset) state <= {WIDTH{1'b0}};
        else if (ce) state <= d;
    end else begin : bad_reset
      Gowin_multiplier_needs_MULT_RESET_MODE_SYNC_or_ASYNC refused ();
    end
  endgenerate
endmodule

// Operands and signs with a register each, the product with two.
module trme_gowin_multiplier #(
  parameter WIDTH = 18,
  parameter AREG = 0,
  parameter BREG = 0,
  parameter ASIGN_REG = 0,
  parameter BSIGN_REG = 0,
  parameter PIPE_REG = 0,
  parameter OUT_REG = 0,
  parameter SOA_REG = 0,
  parameter RESET_MODE = "SYNC"
) (
  input clk, input ce, input reset,
  input [WIDTH-1:0] a, input [WIDTH-1:0] b, input asign, input bsign,
  output [2*WIDTH-1:0] p, output [WIDTH-1:0] soa, output [WIDTH-1:0] sob
);
  wire [WIDTH-1:0] x, y;
  wire x_signed, y_signed;
  trme_gowin_dsp_register #(WIDTH, AREG, RESET_MODE) a_register (clk, ce, reset, a, x);
  trme_gowin_dsp_register #(WIDTH, BREG, RESET_MODE) b_register (clk, ce, reset, b, y);
  trme_gowin_dsp_register #(1, ASIGN_REG, RESET_MODE) asign_register (clk, ce, reset, asign, x_signed);
  trme_gowin_dsp_register #(1, BSIGN_REG, RESET_MODE) bsign_register (clk, ce, reset, bsign, y_signed);
  trme_gowin_dsp_register #(WIDTH, SOA_REG, RESET_MODE) soa_register (clk, ce, reset, x, soa);
  assign sob = y;

  wire [2*WIDTH-1:0] product = {{WIDTH{x_signed & x[WIDTH-1]}}, x} * {{WIDTH{y_signed & y[WIDTH-1]}}, y};
  wire [2*WIDTH-1:0] pipelined;
  trme_gowin_dsp_register #(2*WIDTH, PIPE_REG, RESET_MODE) pipe_register (clk, ce, reset, product, pipelined);
  trme_gowin_dsp_register #(2*WIDTH, OUT_REG, RESET_MODE) out_register (clk, ce, reset, pipelined, p);
endmodule
