// SPDX-License-Identifier: Apache-2.0
// The registered multiplier of hdl/multiply.py on iCE40 UltraPlus: an SB_MAC16 with its input, pipeline and product
// registers, where both operands fit 16 bits. (synth_ice40 -dsp is no way to it: Yosys 0.70 loses such a multiplier.)
module trme_multiply #(parameter A_WIDTH = 8, parameter B_WIDTH = 8, parameter SIGNED = 0) (
  input clk,
  input [A_WIDTH-1:0] a,
  input [B_WIDTH-1:0] b,
  output [A_WIDTH+B_WIDTH-1:0] p
);
  localparam WIDTH = A_WIDTH + B_WIDTH;
  generate
    if (A_WIDTH <= 16 && B_WIDTH <= 16) begin : dsp
      wire [15:0] x = {{16{(SIGNED != 0) & a[A_WIDTH-1]}}, a};
      wire [15:0] y = {{16{(SIGNED != 0) & b[B_WIDTH-1]}}, b};
      wire [31:0] z;
      assign p = z[WIDTH-1:0];
      SB_MAC16 #(
        .A_REG(1'b1), .B_REG(1'b1), .C_REG(1'b0), .D_REG(1'b0),
        .TOP_8x8_MULT_REG(1'b1), .BOT_8x8_MULT_REG(1'b1),
        .PIPELINE_16x16_MULT_REG1(1'b1), .PIPELINE_16x16_MULT_REG2(1'b1),
        .TOPOUTPUT_SELECT(2'b11), .BOTOUTPUT_SELECT(2'b11),
        .A_SIGNED(SIGNED != 0), .B_SIGNED(SIGNED != 0)
      ) multiplier (
        .CLK(clk), .CE(1'b1), .A(x), .B(y), .C(16'd0), .D(16'd0), .O(z),
        .AHOLD(1'b0), .BHOLD(1'b0), .CHOLD(1'b0), .DHOLD(1'b0), .IRSTTOP(1'b0), .IRSTBOT(1'b0), .ORSTTOP(1'b0), .ORSTBOT(1'b0),
        .OLOADTOP(1'b0), .OLOADBOT(1'b0), .ADDSUBTOP(1'b0), .ADDSUBBOT(1'b0), .OHOLDTOP(1'b0), .OHOLDBOT(1'b0),
        .CI(1'b0), .ACCUMCI(1'b0), .SIGNEXTIN(1'b0)
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
