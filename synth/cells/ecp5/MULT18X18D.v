// SPDX-License-Identifier: Apache-2.0
// ECP5's multiplier. Not: the shift chains (SRIA, SRIB, SROA, SROB, SOURCEA, SOURCEB), the way to the ALU (ROA, ROB, ROC,
// SIGNEDP), operand C, whose pins and register have no effect, HIGHSPEED_CLK; CLK0_DIV to CLK3_DIV have no meaning without it.

// One register of a DSP, or a wire. The reset wins over the enable.
module trme_ecp5_dsp_register #(
  parameter WIDTH = 1,
  parameter CLK = "NONE",
  parameter CE = "CE0",
  parameter RST = "RST0",
  parameter RESETMODE = "SYNC"
) (
  input [3:0] clk, input [3:0] ce, input [3:0] rst,
  input [WIDTH-1:0] d,
  output [WIDTH-1:0] q
);
  wire enable = CE == "CE0" ? ce[0] : CE == "CE1" ? ce[1] : CE == "CE2" ? ce[2] : ce[3];
  wire reset = RST == "RST0" ? rst[0] : RST == "RST1" ? rst[1] : RST == "RST2" ? rst[2] : rst[3];
  wire clock = CLK == "CLK0" ? clk[0] : CLK == "CLK1" ? clk[1] : CLK == "CLK2" ? clk[2] : clk[3];
  reg [WIDTH-1:0] state;
  initial state = {WIDTH{1'b0}};

  generate
    if (CE != "CE0" && CE != "CE1" && CE != "CE2" && CE != "CE3") begin : bad_ce
      MULT18X18D_register_needs_CE0_to_CE3 refused ();
    end
    if (RST != "RST0" && RST != "RST1" && RST != "RST2" && RST != "RST3") begin : bad_rst
      MULT18X18D_register_needs_RST0_to_RST3 refused ();
    end
    if (CLK == "NONE") begin : bypass
      assign q = d;
    end else if (CLK != "CLK0" && CLK != "CLK1" && CLK != "CLK2" && CLK != "CLK3") begin : bad_clk
      MULT18X18D_register_needs_NONE_or_CLK0_to_CLK3 refused ();
    end else if (RESETMODE == "ASYNC") begin : asynchronous
      assign q = state;
      always @(posedge clock or posedge reset)
        if (reset) state <= {WIDTH{1'b0}};
        else if (enable) state <= d;
    end else begin : synchronous
      assign q = state;
      always @(posedge clock)
        if (reset) state <= {WIDTH{1'b0}};
        else if (enable) state <= d;
    end
  endgenerate
endmodule

module MULT18X18D (
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
  output P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  parameter REG_INPUTA_CLK = "NONE";
  parameter REG_INPUTA_CE = "CE0";
  parameter REG_INPUTA_RST = "RST0";
  parameter REG_INPUTB_CLK = "NONE";
  parameter REG_INPUTB_CE = "CE0";
  parameter REG_INPUTB_RST = "RST0";
  parameter REG_INPUTC_CLK = "NONE";
  parameter REG_INPUTC_CE = "CE0";
  parameter REG_INPUTC_RST = "RST0";
  parameter REG_PIPELINE_CLK = "NONE";
  parameter REG_PIPELINE_CE = "CE0";
  parameter REG_PIPELINE_RST = "RST0";
  parameter REG_OUTPUT_CLK = "NONE";
  parameter REG_OUTPUT_CE = "CE0";
  parameter REG_OUTPUT_RST = "RST0";
  parameter CLK0_DIV = "ENABLED";
  parameter CLK1_DIV = "ENABLED";
  parameter CLK2_DIV = "ENABLED";
  parameter CLK3_DIV = "ENABLED";
  parameter HIGHSPEED_CLK = "NONE";
  parameter GSR = "ENABLED";
  parameter CAS_MATCH_REG = "FALSE";
  parameter SOURCEB_MODE = "B_SHIFT";
  parameter MULT_BYPASS = "DISABLED";
  parameter RESETMODE = "SYNC";

  generate
    if (HIGHSPEED_CLK != "NONE") begin : bad_highspeed
      MULT18X18D_models_only_HIGHSPEED_CLK_NONE refused ();
    end
    if (CAS_MATCH_REG != "FALSE") begin : bad_cascade
      MULT18X18D_models_only_CAS_MATCH_REG_FALSE refused ();
    end
    if (SOURCEB_MODE != "B_SHIFT") begin : bad_source
      MULT18X18D_models_only_SOURCEB_MODE_B_SHIFT refused ();
    end
    if (MULT_BYPASS != "DISABLED") begin : bad_bypass
      MULT18X18D_models_only_MULT_BYPASS_DISABLED refused ();
    end
    if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") begin : bad_reset
      MULT18X18D_needs_RESETMODE_SYNC_or_ASYNC refused ();
    end
  endgenerate

  always @*
    if (SOURCEA | SOURCEB) begin
      $display("%m: MULT18X18D is modelled with SOURCEA and SOURCEB at 0 only, not for operands from a neighbour");
      $stop;
    end

  wire [3:0] clk = {CLK3, CLK2, CLK1, CLK0};
  wire [3:0] ce = {CE3, CE2, CE1, CE0};
  wire [3:0] rst = {RST3, RST2, RST1, RST0};

  // Each operand's sign goes through the register of that operand.
  wire [17:0] a, b;
  wire signed_a, signed_b;
  trme_ecp5_dsp_register #(19, REG_INPUTA_CLK, REG_INPUTA_CE, REG_INPUTA_RST, RESETMODE) input_a
    (clk, ce, rst, {SIGNEDA, A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0}, {signed_a, a});
  trme_ecp5_dsp_register #(19, REG_INPUTB_CLK, REG_INPUTB_CE, REG_INPUTB_RST, RESETMODE) input_b
    (clk, ce, rst, {SIGNEDB, B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0}, {signed_b, b});

  // The product of any two operands fits 36 bits, also that of a signed and an unsigned one.
  wire [35:0] product = {{18{signed_a & a[17]}}, a} * {{18{signed_b & b[17]}}, b};
  wire [35:0] pipelined;
  trme_ecp5_dsp_register #(36, REG_PIPELINE_CLK, REG_PIPELINE_CE, REG_PIPELINE_RST, RESETMODE) pipeline
    (clk, ce, rst, product, pipelined);
  trme_ecp5_dsp_register #(36, REG_OUTPUT_CLK, REG_OUTPUT_CE, REG_OUTPUT_RST, RESETMODE) result
    (clk, ce, rst, pipelined,
     {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
      P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0});
endmodule
