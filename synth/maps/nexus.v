// SPDX-License-Identifier: Apache-2.0
// The registered multiplier of hdl/multiply.py on Nexus: a MULT9X9 or MULT18X18 with its input and output registers, the
// smallest that takes both operands, and a register behind it, for neither has one inside. MULTADDSUB18X18 has, but behind
// the same logic, and nextpnr 0.11 times nothing of the adder that follows. Wider operands keep the portable form.
module trme_multiply #(parameter A_WIDTH = 8, parameter B_WIDTH = 8, parameter SIGNED = 0) (
  input clk,
  input [A_WIDTH-1:0] a,
  input [B_WIDTH-1:0] b,
  output [A_WIDTH+B_WIDTH-1:0] p
);
  localparam WIDTH = A_WIDTH + B_WIDTH;
  wire [17:0] x = {{18{(SIGNED != 0) & a[A_WIDTH-1]}}, a};
  wire [17:0] y = {{18{(SIGNED != 0) & b[B_WIDTH-1]}}, b};
  reg [WIDTH-1:0] last;
  assign p = last;
  generate
    if (A_WIDTH <= 9 && B_WIDTH <= 9) begin : dsp9
      wire [17:0] z;
      always @(posedge clk) last <= z[WIDTH-1:0];
      MULT9X9 #(.REGINPUTA("REGISTER"), .REGINPUTB("REGISTER"), .REGOUTPUT("REGISTER"), .GSR("DISABLED")) multiplier (
        .CLK(clk), .CEA(1'b1), .RSTA(1'b0), .CEB(1'b1), .RSTB(1'b0), .CEOUT(1'b1), .RSTOUT(1'b0),
        .SIGNEDA(SIGNED != 0), .SIGNEDB(SIGNED != 0), .A(x[8:0]), .B(y[8:0]), .Z(z)
      );
    end else if (A_WIDTH <= 18 && B_WIDTH <= 18) begin : dsp18
      wire [35:0] z;
      always @(posedge clk) last <= z[WIDTH-1:0];
      MULT18X18 #(.REGINPUTA("REGISTER"), .REGINPUTB("REGISTER"), .REGOUTPUT("REGISTER"), .GSR("DISABLED")) multiplier (
        .CLK(clk), .CEA(1'b1), .RSTA(1'b0), .CEB(1'b1), .RSTB(1'b0), .CEOUT(1'b1), .RSTOUT(1'b0),
        .SIGNEDA(SIGNED != 0), .SIGNEDB(SIGNED != 0), .A(x), .B(y), .Z(z)
      );
    end else begin : portable
      reg [A_WIDTH-1:0] a_in;
      reg [B_WIDTH-1:0] b_in;
      reg [WIDTH-1:0] product;
      wire [WIDTH-1:0] a_wide = {{B_WIDTH{(SIGNED != 0) & a_in[A_WIDTH-1]}}, a_in};
      wire [WIDTH-1:0] b_wide = {{A_WIDTH{(SIGNED != 0) & b_in[B_WIDTH-1]}}, b_in};
      always @(posedge clk) begin
        a_in <= a;
        b_in <= b;
        product <= a_wide * b_wide;
        last <= product;
      end
    end
  endgenerate
endmodule
