// SPDX-License-Identifier: Apache-2.0
// The registered multiplier of hdl/multiply.py on ECP5: a MULT18X18D with its input, pipeline and output registers, where
// both operands fit 18 bits. Wider ones keep the portable form, which Yosys makes of several DSPs without registers.
module trme_multiply #(parameter A_WIDTH = 8, parameter B_WIDTH = 8, parameter SIGNED = 0) (
  input clk,
  input [A_WIDTH-1:0] a,
  input [B_WIDTH-1:0] b,
  output [A_WIDTH+B_WIDTH-1:0] p
);
  localparam WIDTH = A_WIDTH + B_WIDTH;
  generate
    if (A_WIDTH <= 18 && B_WIDTH <= 18) begin : dsp
      wire [17:0] x = {{18{(SIGNED != 0) & a[A_WIDTH-1]}}, a};
      wire [17:0] y = {{18{(SIGNED != 0) & b[B_WIDTH-1]}}, b};
      wire [35:0] z;
      assign p = z[WIDTH-1:0];
      MULT18X18D #(
        .REG_INPUTA_CLK("CLK0"), .REG_INPUTA_CE("CE0"), .REG_INPUTA_RST("RST0"),
        .REG_INPUTB_CLK("CLK0"), .REG_INPUTB_CE("CE0"), .REG_INPUTB_RST("RST0"),
        .REG_PIPELINE_CLK("CLK0"), .REG_PIPELINE_CE("CE0"), .REG_PIPELINE_RST("RST0"),
        .REG_OUTPUT_CLK("CLK0"), .REG_OUTPUT_CE("CE0"), .REG_OUTPUT_RST("RST0"),
        .GSR("DISABLED")
      ) multiplier (
        .CLK0(clk), .CE0(1'b1), .RST0(1'b0),
        .SIGNEDA(SIGNED != 0), .SIGNEDB(SIGNED != 0), .SOURCEA(1'b0), .SOURCEB(1'b0),
        .A0(x[0]), .A1(x[1]), .A2(x[2]), .A3(x[3]), .A4(x[4]), .A5(x[5]), .A6(x[6]), .A7(x[7]), .A8(x[8]), .A9(x[9]),
        .A10(x[10]), .A11(x[11]), .A12(x[12]), .A13(x[13]), .A14(x[14]), .A15(x[15]), .A16(x[16]), .A17(x[17]),
        .B0(y[0]), .B1(y[1]), .B2(y[2]), .B3(y[3]), .B4(y[4]), .B5(y[5]), .B6(y[6]), .B7(y[7]), .B8(y[8]), .B9(y[9]),
        .B10(y[10]), .B11(y[11]), .B12(y[12]), .B13(y[13]), .B14(y[14]), .B15(y[15]), .B16(y[16]), .B17(y[17]),
        .C0(1'b0), .C1(1'b0), .C2(1'b0), .C3(1'b0), .C4(1'b0), .C5(1'b0), .C6(1'b0), .C7(1'b0), .C8(1'b0), .C9(1'b0),
        .C10(1'b0), .C11(1'b0), .C12(1'b0), .C13(1'b0), .C14(1'b0), .C15(1'b0), .C16(1'b0), .C17(1'b0),
        .P0(z[0]), .P1(z[1]), .P2(z[2]), .P3(z[3]), .P4(z[4]), .P5(z[5]), .P6(z[6]), .P7(z[7]), .P8(z[8]), .P9(z[9]),
        .P10(z[10]), .P11(z[11]), .P12(z[12]), .P13(z[13]), .P14(z[14]), .P15(z[15]), .P16(z[16]), .P17(z[17]),
        .P18(z[18]), .P19(z[19]), .P20(z[20]), .P21(z[21]), .P22(z[22]), .P23(z[23]), .P24(z[24]), .P25(z[25]),
        .P26(z[26]), .P27(z[27]), .P28(z[28]), .P29(z[29]), .P30(z[30]), .P31(z[31]), .P32(z[32]), .P33(z[33]),
        .P34(z[34]), .P35(z[35])
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
