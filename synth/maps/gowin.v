// SPDX-License-Identifier: Apache-2.0
// The registered multiplier of hdl/multiply.py on Gowin: a MULT9X9 or MULT18X18 with its input, pipeline and output
// registers, the smallest that takes both operands. Wider ones keep the portable form.
module trme_multiply #(parameter A_WIDTH = 8, parameter B_WIDTH = 8, parameter SIGNED = 0) (
  input clk,
  input [A_WIDTH-1:0] a,
  input [B_WIDTH-1:0] b,
  output [A_WIDTH+B_WIDTH-1:0] p
);
  localparam WIDTH = A_WIDTH + B_WIDTH;
  wire [17:0] x = {{18{(SIGNED != 0) & a[A_WIDTH-1]}}, a};
  wire [17:0] y = {{18{(SIGNED != 0) & b[B_WIDTH-1]}}, b};
  generate
    if (A_WIDTH <= 9 && B_WIDTH <= 9) begin : dsp9
      wire [17:0] z;
      assign p = z[WIDTH-1:0];
      MULT9X9 #(.AREG(1'b1), .BREG(1'b1), .PIPE_REG(1'b1), .OUT_REG(1'b1)) multiplier (
        .CLK(clk), .CE(1'b1), .RESET(1'b0), .ASIGN(SIGNED != 0), .BSIGN(SIGNED != 0), .ASEL(1'b0), .BSEL(1'b0),
        .A(x[8:0]), .B(y[8:0]), .SIA(9'd0), .SIB(9'd0), .DOUT(z)
      );
    end else if (A_WIDTH <= 18 && B_WIDTH <= 18) begin : dsp18
      wire [35:0] z;
      assign p = z[WIDTH-1:0];
      MULT18X18 #(.AREG(1'b1), .BREG(1'b1), .PIPE_REG(1'b1), .OUT_REG(1'b1)) multiplier (
        .CLK(clk), .CE(1'b1), .RESET(1'b0), .ASIGN(SIGNED != 0), .BSIGN(SIGNED != 0), .ASEL(1'b0), .BSEL(1'b0),
        .A(x), .B(y), .SIA(18'd0), .SIB(18'd0), .DOUT(z)
      );
    end else begin : portable
      reg [A_WIDTH-1:0] a_in;
      reg [B_WIDTH-1:0] b_in;
      reg [WIDTH-1:0] product, last;
      wire [WIDTH-1:0] a_wide = {{B_WIDTH{(SIGNED != 0) & a_in[A_WIDTH-1]}}, a_in};
      wire [WIDTH-1:0] b_wide = {{A_WIDTH{(SIGNED != 0) & b_in[B_WIDTH-1]}}, b_in};
      assign p = last;
      always @(posedge clk) begin
        a_in <= a;
        b_in <= b;
        product <= a_wide * b_wide;
        last <= product;
      end
    end
  endgenerate
endmodule
