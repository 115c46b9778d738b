// SPDX-License-Identifier: Apache-2.0
//
// Gowin GW1N and GW2A: multipliers and block RAM, which Yosys has no simulation models of. To be read before Yosys'
// gowin/cells_sim.v, which holds empty modules of the same names as some of these (SP, SPX9): Verilator takes the first of
// two.
//
// Gowin describes them in UG287 (DSP) and UG285 (BSRAM). How the memory is used and how its contents are laid out is from
// Yosys' gowin/brams.txt and gowin/brams_map.v. Those two guides were not at hand, and neither was a device: where a
// multiplier's registers are, that SOA comes from A's register and SOB from B's, and that a reset wins over its enable, is
// our understanding, not checked.
//
// A parameter whose value is not modelled ends the build: the missing module's name says which. A parameter or a port that
// does not stand here ends it as well. All state starts at 0 or INIT_RAM; the global reset is not modelled. A pin left open
// is a 0 here, also a clock enable: connect it.
//
// MULT9X9, MULT18X18, MULT36X36. Not: MULT36X36 with OUT0_REG other than OUT1_REG.
//
// SP, SPX9, SDPB, SDPX9B, DPB, DPX9B. Where two ports reach the same bits in the same cycle and one writes, hardware
// promises nothing; here a read gives the old contents. A synchronous reset works whatever CE and OCE. Not: the GW5A's SDPB
// and SDPX9B, which have one reset; pROM, pROMX9, and the older SDP, DP, which Yosys does not make.

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

module MULT9X9 (
  input [8:0] A, SIA, B, SIB,
  input ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output [17:0] DOUT,
  output [8:0] SOA, SOB
);
  parameter AREG = 1'b0;
  parameter BREG = 1'b0;
  parameter OUT_REG = 1'b0;
  parameter PIPE_REG = 1'b0;
  parameter ASIGN_REG = 1'b0;
  parameter BSIGN_REG = 1'b0;
  parameter SOA_REG = 1'b0;
  parameter MULT_RESET_MODE = "SYNC";
  trme_gowin_multiplier #(9, AREG, BREG, ASIGN_REG, BSIGN_REG, PIPE_REG, OUT_REG, SOA_REG, MULT_RESET_MODE) multiplier
    (CLK, CE, RESET, ASEL ? SIA : A, BSEL ? SIB : B, ASIGN, BSIGN, DOUT, SOA, SOB);
endmodule

module MULT18X18 (
  input [17:0] A, SIA, B, SIB,
  input ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output [35:0] DOUT,
  output [17:0] SOA, SOB
);
  parameter AREG = 1'b0;
  parameter BREG = 1'b0;
  parameter OUT_REG = 1'b0;
  parameter PIPE_REG = 1'b0;
  parameter ASIGN_REG = 1'b0;
  parameter BSIGN_REG = 1'b0;
  parameter SOA_REG = 1'b0;
  parameter MULT_RESET_MODE = "SYNC";
  trme_gowin_multiplier #(18, AREG, BREG, ASIGN_REG, BSIGN_REG, PIPE_REG, OUT_REG, SOA_REG, MULT_RESET_MODE) multiplier
    (CLK, CE, RESET, ASEL ? SIA : A, BSEL ? SIB : B, ASIGN, BSIGN, DOUT, SOA, SOB);
endmodule

module MULT36X36 (
  input [35:0] A, B,
  input ASIGN, BSIGN, CE, CLK, RESET,
  output [71:0] DOUT
);
  parameter AREG = 1'b0;
  parameter BREG = 1'b0;
  parameter OUT0_REG = 1'b0;
  parameter OUT1_REG = 1'b0;
  parameter PIPE_REG = 1'b0;
  parameter ASIGN_REG = 1'b0;
  parameter BSIGN_REG = 1'b0;
  parameter MULT_RESET_MODE = "SYNC";
  generate
    if (OUT0_REG != OUT1_REG) begin : bad_out
      MULT36X36_models_only_OUT0_REG_like_OUT1_REG refused ();
    end
  endgenerate
  wire [35:0] soa, sob;
  trme_gowin_multiplier #(36, AREG, BREG, ASIGN_REG, BSIGN_REG, PIPE_REG, OUT0_REG, 0, MULT_RESET_MODE) multiplier
    (CLK, CE, RESET, A, B, ASIGN, BSIGN, DOUT, soa, sob);
endmodule

// What a port has read: a latch, and a register behind it.
module trme_gowin_ram_output #(parameter PIPELINE = 0, parameter RESET_MODE = "SYNC") (
  input clock, input reset, input load, input output_enable,
  input [35:0] d,
  output [35:0] q
);
  reg [35:0] latch, register;
  initial {latch, register} = 72'd0;
  assign q = PIPELINE ? register : latch;
  generate
    if (RESET_MODE == "ASYNC") begin : asynchronous
      always @(posedge clock or posedge reset)
        if (reset) {latch, register} <= 72'd0;
        else begin
          if (load) latch <= d;
          if (output_enable) register <= latch;
        end
    end else if (RESET_MODE == "SYNC") begin : synchronous
      always @(posedge clock)
        if (reset) {latch, register} <= 72'd0;
        else begin
          if (load) latch <= d;
          if (output_enable) register <= latch;
        end
    end else begin : bad_reset
      Gowin_RAM_needs_RESET_MODE_SYNC_or_ASYNC refused ();
    end
  endgenerate
endmodule

// 2048 bytes and two ports. With bytes of 9 bits the widths are 9, 18 and 36, with bytes of 8 they are 1, 2, 4, 8, 16 and 32.
module trme_gowin_ram #(
  parameter BYTE = 8,
  parameter WIDTH_A = 8,
  parameter WIDTH_B = 8,
  parameter WRITE_MODE_A = 0,
  parameter WRITE_MODE_B = 0,
  parameter READ_MODE_A = 0,
  parameter READ_MODE_B = 0,
  parameter RESET_MODE = "SYNC",
  parameter [2048*BYTE-1:0] INIT = 0
) (
  input clk_a, input active_a, input we_a, input rst_a, input oce_a,
  input [13:0] address_a, input [4*BYTE-1:0] d_a, output [4*BYTE-1:0] q_a,
  input clk_b, input active_b, input we_b, input rst_b, input oce_b,
  input [13:0] address_b, input [4*BYTE-1:0] d_b, output [4*BYTE-1:0] q_b
);
  function is_width(input integer width);
    is_width = width == BYTE || width == 2*BYTE || width == 4*BYTE || (BYTE == 8 && (width == 1 || width == 2 || width == 4));
  endfunction
  generate
    if (!is_width(WIDTH_A) || !is_width(WIDTH_B)) begin : bad_width
      Gowin_RAM_has_no_such_BIT_WIDTH refused ();
    end
    if (WRITE_MODE_A > 2 || WRITE_MODE_B > 2) begin : bad_write_mode
      Gowin_RAM_needs_WRITE_MODE_0_1_or_2 refused ();
    end
  endgenerate

  reg [BYTE-1:0] bytes [0:2047];
  integer n;
  initial
    for (n = 0; n < 2048; n = n + 1) bytes[n] = INIT[n*BYTE +: BYTE];

  // The lowest byte that a port reaches, and the bit in it; from two bytes on the lowest address bits are byte enables.
  function [10:0] lowest(input integer width, input [13:0] address);
    lowest = width == 4*BYTE ? {address[13:5], 2'b00} : width == 2*BYTE ? {address[13:4], 1'b0} : address[13:3];
  endfunction
  function [2:0] start(input integer width, input [13:0] address);
    start = width == 1 ? address[2:0] : width == 2 ? {address[2:1], 1'b0} : width == 4 ? {address[2], 2'b00} : 3'd0;
  endfunction
  function [3:0] enables(input integer width, input [13:0] address);
    enables = width == 4*BYTE ? address[3:0] : width == 2*BYTE ? {2'b00, address[1:0]} : 4'b0001;
  endfunction
  localparam PART_A = WIDTH_A < BYTE ? WIDTH_A : BYTE;
  localparam PART_B = WIDTH_B < BYTE ? WIDTH_B : BYTE;
  wire [10:0] byte_a = lowest(WIDTH_A, address_a);
  wire [10:0] byte_b = lowest(WIDTH_B, address_b);
  wire [2:0] bit_a = start(WIDTH_A, address_a);
  wire [2:0] bit_b = start(WIDTH_B, address_b);
  wire [3:0] enable_a = enables(WIDTH_A, address_a);
  wire [3:0] enable_b = enables(WIDTH_B, address_b);
  wire [3:0] write_a = {4{active_a & we_a}} & enable_a;
  wire [3:0] write_b = {4{active_b & we_b}} & enable_b;

  always @(posedge clk_a) begin
    if (write_a[0]) bytes[byte_a][bit_a +: PART_A] <= d_a[PART_A-1:0];
    if (write_a[1]) bytes[byte_a | 11'd1] <= d_a[BYTE +: BYTE];
    if (write_a[2]) bytes[byte_a | 11'd2] <= d_a[2*BYTE +: BYTE];
    if (write_a[3]) bytes[byte_a | 11'd3] <= d_a[3*BYTE +: BYTE];
  end
  always @(posedge clk_b) begin
    if (write_b[0]) bytes[byte_b][bit_b +: PART_B] <= d_b[PART_B-1:0];
    if (write_b[1]) bytes[byte_b | 11'd1] <= d_b[BYTE +: BYTE];
    if (write_b[2]) bytes[byte_b | 11'd2] <= d_b[2*BYTE +: BYTE];
    if (write_b[3]) bytes[byte_b | 11'd3] <= d_b[3*BYTE +: BYTE];
  end

  // When a port writes too, it reads by WRITE_MODE: 0 nothing new, 1 what is being written, 2 what was there.
  localparam [4*BYTE-1:0] SEEN_A = {(4*BYTE){1'b1}} >> (4*BYTE - WIDTH_A);
  localparam [4*BYTE-1:0] SEEN_B = {(4*BYTE){1'b1}} >> (4*BYTE - WIDTH_B);
  wire [BYTE-1:0] part_a = bytes[byte_a] >> bit_a;
  wire [BYTE-1:0] part_b = bytes[byte_b] >> bit_b;
  wire [4*BYTE-1:0] old_a = {bytes[byte_a | 11'd3], bytes[byte_a | 11'd2], bytes[byte_a | 11'd1], part_a};
  wire [4*BYTE-1:0] old_b = {bytes[byte_b | 11'd3], bytes[byte_b | 11'd2], bytes[byte_b | 11'd1], part_b};
  wire [4*BYTE-1:0] mask_a = {{BYTE{enable_a[3]}}, {BYTE{enable_a[2]}}, {BYTE{enable_a[1]}}, {BYTE{enable_a[0]}}};
  wire [4*BYTE-1:0] mask_b = {{BYTE{enable_b[3]}}, {BYTE{enable_b[2]}}, {BYTE{enable_b[1]}}, {BYTE{enable_b[0]}}};
  wire [4*BYTE-1:0] read_a = (we_a & WRITE_MODE_A == 1 ? (d_a & mask_a) | (old_a & ~mask_a) : old_a) & SEEN_A;
  wire [4*BYTE-1:0] read_b = (we_b & WRITE_MODE_B == 1 ? (d_b & mask_b) | (old_b & ~mask_b) : old_b) & SEEN_B;
  wire [35:0] wide_a, wide_b;
  assign q_a = wide_a[4*BYTE-1:0];
  assign q_b = wide_b[4*BYTE-1:0];
  trme_gowin_ram_output #(READ_MODE_A, RESET_MODE) out_a
    (clk_a, rst_a, active_a & ~(we_a & WRITE_MODE_A == 0), oce_a, {{(36-4*BYTE){1'b0}}, read_a}, wide_a);
  trme_gowin_ram_output #(READ_MODE_B, RESET_MODE) out_b
    (clk_b, rst_b, active_b & ~(we_b & WRITE_MODE_B == 0), oce_b, {{(36-4*BYTE){1'b0}}, read_b}, wide_b);
endmodule

module SP (
  output [31:0] DO,
  input [31:0] DI,
  input [2:0] BLKSEL,
  input [13:0] AD,
  input WRE, CLK, CE, OCE, RESET
);
  parameter READ_MODE = 1'b0;
  parameter WRITE_MODE = 2'b00;
  parameter BIT_WIDTH = 32;
  parameter [2:0] BLK_SEL = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [255:0] INIT_RAM_00 = 256'h0;
  parameter [255:0] INIT_RAM_01 = 256'h0;
  parameter [255:0] INIT_RAM_02 = 256'h0;
  parameter [255:0] INIT_RAM_03 = 256'h0;
  parameter [255:0] INIT_RAM_04 = 256'h0;
  parameter [255:0] INIT_RAM_05 = 256'h0;
  parameter [255:0] INIT_RAM_06 = 256'h0;
  parameter [255:0] INIT_RAM_07 = 256'h0;
  parameter [255:0] INIT_RAM_08 = 256'h0;
  parameter [255:0] INIT_RAM_09 = 256'h0;
  parameter [255:0] INIT_RAM_0A = 256'h0;
  parameter [255:0] INIT_RAM_0B = 256'h0;
  parameter [255:0] INIT_RAM_0C = 256'h0;
  parameter [255:0] INIT_RAM_0D = 256'h0;
  parameter [255:0] INIT_RAM_0E = 256'h0;
  parameter [255:0] INIT_RAM_0F = 256'h0;
  parameter [255:0] INIT_RAM_10 = 256'h0;
  parameter [255:0] INIT_RAM_11 = 256'h0;
  parameter [255:0] INIT_RAM_12 = 256'h0;
  parameter [255:0] INIT_RAM_13 = 256'h0;
  parameter [255:0] INIT_RAM_14 = 256'h0;
  parameter [255:0] INIT_RAM_15 = 256'h0;
  parameter [255:0] INIT_RAM_16 = 256'h0;
  parameter [255:0] INIT_RAM_17 = 256'h0;
  parameter [255:0] INIT_RAM_18 = 256'h0;
  parameter [255:0] INIT_RAM_19 = 256'h0;
  parameter [255:0] INIT_RAM_1A = 256'h0;
  parameter [255:0] INIT_RAM_1B = 256'h0;
  parameter [255:0] INIT_RAM_1C = 256'h0;
  parameter [255:0] INIT_RAM_1D = 256'h0;
  parameter [255:0] INIT_RAM_1E = 256'h0;
  parameter [255:0] INIT_RAM_1F = 256'h0;
  parameter [255:0] INIT_RAM_20 = 256'h0;
  parameter [255:0] INIT_RAM_21 = 256'h0;
  parameter [255:0] INIT_RAM_22 = 256'h0;
  parameter [255:0] INIT_RAM_23 = 256'h0;
  parameter [255:0] INIT_RAM_24 = 256'h0;
  parameter [255:0] INIT_RAM_25 = 256'h0;
  parameter [255:0] INIT_RAM_26 = 256'h0;
  parameter [255:0] INIT_RAM_27 = 256'h0;
  parameter [255:0] INIT_RAM_28 = 256'h0;
  parameter [255:0] INIT_RAM_29 = 256'h0;
  parameter [255:0] INIT_RAM_2A = 256'h0;
  parameter [255:0] INIT_RAM_2B = 256'h0;
  parameter [255:0] INIT_RAM_2C = 256'h0;
  parameter [255:0] INIT_RAM_2D = 256'h0;
  parameter [255:0] INIT_RAM_2E = 256'h0;
  parameter [255:0] INIT_RAM_2F = 256'h0;
  parameter [255:0] INIT_RAM_30 = 256'h0;
  parameter [255:0] INIT_RAM_31 = 256'h0;
  parameter [255:0] INIT_RAM_32 = 256'h0;
  parameter [255:0] INIT_RAM_33 = 256'h0;
  parameter [255:0] INIT_RAM_34 = 256'h0;
  parameter [255:0] INIT_RAM_35 = 256'h0;
  parameter [255:0] INIT_RAM_36 = 256'h0;
  parameter [255:0] INIT_RAM_37 = 256'h0;
  parameter [255:0] INIT_RAM_38 = 256'h0;
  parameter [255:0] INIT_RAM_39 = 256'h0;
  parameter [255:0] INIT_RAM_3A = 256'h0;
  parameter [255:0] INIT_RAM_3B = 256'h0;
  parameter [255:0] INIT_RAM_3C = 256'h0;
  parameter [255:0] INIT_RAM_3D = 256'h0;
  parameter [255:0] INIT_RAM_3E = 256'h0;
  parameter [255:0] INIT_RAM_3F = 256'h0;

  wire [31:0] unused;
  trme_gowin_ram #(8, BIT_WIDTH, 8, WRITE_MODE, 0, READ_MODE, 0, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLK, CE & BLKSEL == BLK_SEL, WRE, RESET, OCE, AD, DI, DO,
    1'b0, 1'b0, 1'b0, 1'b0, 1'b0, 14'd0, 32'd0, unused);
endmodule

module SPX9 (
  output [35:0] DO,
  input [35:0] DI,
  input [2:0] BLKSEL,
  input [13:0] AD,
  input WRE, CLK, CE, OCE, RESET
);
  parameter READ_MODE = 1'b0;
  parameter WRITE_MODE = 2'b00;
  parameter BIT_WIDTH = 36;
  parameter [2:0] BLK_SEL = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [287:0] INIT_RAM_00 = 288'h0;
  parameter [287:0] INIT_RAM_01 = 288'h0;
  parameter [287:0] INIT_RAM_02 = 288'h0;
  parameter [287:0] INIT_RAM_03 = 288'h0;
  parameter [287:0] INIT_RAM_04 = 288'h0;
  parameter [287:0] INIT_RAM_05 = 288'h0;
  parameter [287:0] INIT_RAM_06 = 288'h0;
  parameter [287:0] INIT_RAM_07 = 288'h0;
  parameter [287:0] INIT_RAM_08 = 288'h0;
  parameter [287:0] INIT_RAM_09 = 288'h0;
  parameter [287:0] INIT_RAM_0A = 288'h0;
  parameter [287:0] INIT_RAM_0B = 288'h0;
  parameter [287:0] INIT_RAM_0C = 288'h0;
  parameter [287:0] INIT_RAM_0D = 288'h0;
  parameter [287:0] INIT_RAM_0E = 288'h0;
  parameter [287:0] INIT_RAM_0F = 288'h0;
  parameter [287:0] INIT_RAM_10 = 288'h0;
  parameter [287:0] INIT_RAM_11 = 288'h0;
  parameter [287:0] INIT_RAM_12 = 288'h0;
  parameter [287:0] INIT_RAM_13 = 288'h0;
  parameter [287:0] INIT_RAM_14 = 288'h0;
  parameter [287:0] INIT_RAM_15 = 288'h0;
  parameter [287:0] INIT_RAM_16 = 288'h0;
  parameter [287:0] INIT_RAM_17 = 288'h0;
  parameter [287:0] INIT_RAM_18 = 288'h0;
  parameter [287:0] INIT_RAM_19 = 288'h0;
  parameter [287:0] INIT_RAM_1A = 288'h0;
  parameter [287:0] INIT_RAM_1B = 288'h0;
  parameter [287:0] INIT_RAM_1C = 288'h0;
  parameter [287:0] INIT_RAM_1D = 288'h0;
  parameter [287:0] INIT_RAM_1E = 288'h0;
  parameter [287:0] INIT_RAM_1F = 288'h0;
  parameter [287:0] INIT_RAM_20 = 288'h0;
  parameter [287:0] INIT_RAM_21 = 288'h0;
  parameter [287:0] INIT_RAM_22 = 288'h0;
  parameter [287:0] INIT_RAM_23 = 288'h0;
  parameter [287:0] INIT_RAM_24 = 288'h0;
  parameter [287:0] INIT_RAM_25 = 288'h0;
  parameter [287:0] INIT_RAM_26 = 288'h0;
  parameter [287:0] INIT_RAM_27 = 288'h0;
  parameter [287:0] INIT_RAM_28 = 288'h0;
  parameter [287:0] INIT_RAM_29 = 288'h0;
  parameter [287:0] INIT_RAM_2A = 288'h0;
  parameter [287:0] INIT_RAM_2B = 288'h0;
  parameter [287:0] INIT_RAM_2C = 288'h0;
  parameter [287:0] INIT_RAM_2D = 288'h0;
  parameter [287:0] INIT_RAM_2E = 288'h0;
  parameter [287:0] INIT_RAM_2F = 288'h0;
  parameter [287:0] INIT_RAM_30 = 288'h0;
  parameter [287:0] INIT_RAM_31 = 288'h0;
  parameter [287:0] INIT_RAM_32 = 288'h0;
  parameter [287:0] INIT_RAM_33 = 288'h0;
  parameter [287:0] INIT_RAM_34 = 288'h0;
  parameter [287:0] INIT_RAM_35 = 288'h0;
  parameter [287:0] INIT_RAM_36 = 288'h0;
  parameter [287:0] INIT_RAM_37 = 288'h0;
  parameter [287:0] INIT_RAM_38 = 288'h0;
  parameter [287:0] INIT_RAM_39 = 288'h0;
  parameter [287:0] INIT_RAM_3A = 288'h0;
  parameter [287:0] INIT_RAM_3B = 288'h0;
  parameter [287:0] INIT_RAM_3C = 288'h0;
  parameter [287:0] INIT_RAM_3D = 288'h0;
  parameter [287:0] INIT_RAM_3E = 288'h0;
  parameter [287:0] INIT_RAM_3F = 288'h0;

  wire [35:0] unused;
  trme_gowin_ram #(9, BIT_WIDTH, 9, WRITE_MODE, 0, READ_MODE, 0, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLK, CE & BLKSEL == BLK_SEL, WRE, RESET, OCE, AD, DI, DO,
    1'b0, 1'b0, 1'b0, 1'b0, 1'b0, 14'd0, 36'd0, unused);
endmodule

// Port A writes wherever CEA is on, port B reads; RESETA has nothing to reset.
module SDPB (
  input CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB,
  input [13:0] ADA, ADB,
  input [31:0] DI,
  input [2:0] BLKSELA, BLKSELB,
  output [31:0] DO
);
  parameter READ_MODE = 1'b0;
  parameter BIT_WIDTH_0 = 32;
  parameter BIT_WIDTH_1 = 32;
  parameter [2:0] BLK_SEL_0 = 3'b000;
  parameter [2:0] BLK_SEL_1 = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [255:0] INIT_RAM_00 = 256'h0;
  parameter [255:0] INIT_RAM_01 = 256'h0;
  parameter [255:0] INIT_RAM_02 = 256'h0;
  parameter [255:0] INIT_RAM_03 = 256'h0;
  parameter [255:0] INIT_RAM_04 = 256'h0;
  parameter [255:0] INIT_RAM_05 = 256'h0;
  parameter [255:0] INIT_RAM_06 = 256'h0;
  parameter [255:0] INIT_RAM_07 = 256'h0;
  parameter [255:0] INIT_RAM_08 = 256'h0;
  parameter [255:0] INIT_RAM_09 = 256'h0;
  parameter [255:0] INIT_RAM_0A = 256'h0;
  parameter [255:0] INIT_RAM_0B = 256'h0;
  parameter [255:0] INIT_RAM_0C = 256'h0;
  parameter [255:0] INIT_RAM_0D = 256'h0;
  parameter [255:0] INIT_RAM_0E = 256'h0;
  parameter [255:0] INIT_RAM_0F = 256'h0;
  parameter [255:0] INIT_RAM_10 = 256'h0;
  parameter [255:0] INIT_RAM_11 = 256'h0;
  parameter [255:0] INIT_RAM_12 = 256'h0;
  parameter [255:0] INIT_RAM_13 = 256'h0;
  parameter [255:0] INIT_RAM_14 = 256'h0;
  parameter [255:0] INIT_RAM_15 = 256'h0;
  parameter [255:0] INIT_RAM_16 = 256'h0;
  parameter [255:0] INIT_RAM_17 = 256'h0;
  parameter [255:0] INIT_RAM_18 = 256'h0;
  parameter [255:0] INIT_RAM_19 = 256'h0;
  parameter [255:0] INIT_RAM_1A = 256'h0;
  parameter [255:0] INIT_RAM_1B = 256'h0;
  parameter [255:0] INIT_RAM_1C = 256'h0;
  parameter [255:0] INIT_RAM_1D = 256'h0;
  parameter [255:0] INIT_RAM_1E = 256'h0;
  parameter [255:0] INIT_RAM_1F = 256'h0;
  parameter [255:0] INIT_RAM_20 = 256'h0;
  parameter [255:0] INIT_RAM_21 = 256'h0;
  parameter [255:0] INIT_RAM_22 = 256'h0;
  parameter [255:0] INIT_RAM_23 = 256'h0;
  parameter [255:0] INIT_RAM_24 = 256'h0;
  parameter [255:0] INIT_RAM_25 = 256'h0;
  parameter [255:0] INIT_RAM_26 = 256'h0;
  parameter [255:0] INIT_RAM_27 = 256'h0;
  parameter [255:0] INIT_RAM_28 = 256'h0;
  parameter [255:0] INIT_RAM_29 = 256'h0;
  parameter [255:0] INIT_RAM_2A = 256'h0;
  parameter [255:0] INIT_RAM_2B = 256'h0;
  parameter [255:0] INIT_RAM_2C = 256'h0;
  parameter [255:0] INIT_RAM_2D = 256'h0;
  parameter [255:0] INIT_RAM_2E = 256'h0;
  parameter [255:0] INIT_RAM_2F = 256'h0;
  parameter [255:0] INIT_RAM_30 = 256'h0;
  parameter [255:0] INIT_RAM_31 = 256'h0;
  parameter [255:0] INIT_RAM_32 = 256'h0;
  parameter [255:0] INIT_RAM_33 = 256'h0;
  parameter [255:0] INIT_RAM_34 = 256'h0;
  parameter [255:0] INIT_RAM_35 = 256'h0;
  parameter [255:0] INIT_RAM_36 = 256'h0;
  parameter [255:0] INIT_RAM_37 = 256'h0;
  parameter [255:0] INIT_RAM_38 = 256'h0;
  parameter [255:0] INIT_RAM_39 = 256'h0;
  parameter [255:0] INIT_RAM_3A = 256'h0;
  parameter [255:0] INIT_RAM_3B = 256'h0;
  parameter [255:0] INIT_RAM_3C = 256'h0;
  parameter [255:0] INIT_RAM_3D = 256'h0;
  parameter [255:0] INIT_RAM_3E = 256'h0;
  parameter [255:0] INIT_RAM_3F = 256'h0;

  wire [31:0] unused;
  trme_gowin_ram #(8, BIT_WIDTH_0, BIT_WIDTH_1, 0, 0, 0, READ_MODE, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLKA, CEA & BLKSELA == BLK_SEL_0, 1'b1, 1'b0, 1'b0, ADA, DI, unused,
    CLKB, CEB & BLKSELB == BLK_SEL_1, 1'b0, RESETB, OCE, ADB, 32'd0, DO);
endmodule

// Port A writes wherever CEA is on, port B reads; RESETA has nothing to reset.
module SDPX9B (
  input CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB,
  input [13:0] ADA, ADB,
  input [35:0] DI,
  input [2:0] BLKSELA, BLKSELB,
  output [35:0] DO
);
  parameter READ_MODE = 1'b0;
  parameter BIT_WIDTH_0 = 36;
  parameter BIT_WIDTH_1 = 36;
  parameter [2:0] BLK_SEL_0 = 3'b000;
  parameter [2:0] BLK_SEL_1 = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [287:0] INIT_RAM_00 = 288'h0;
  parameter [287:0] INIT_RAM_01 = 288'h0;
  parameter [287:0] INIT_RAM_02 = 288'h0;
  parameter [287:0] INIT_RAM_03 = 288'h0;
  parameter [287:0] INIT_RAM_04 = 288'h0;
  parameter [287:0] INIT_RAM_05 = 288'h0;
  parameter [287:0] INIT_RAM_06 = 288'h0;
  parameter [287:0] INIT_RAM_07 = 288'h0;
  parameter [287:0] INIT_RAM_08 = 288'h0;
  parameter [287:0] INIT_RAM_09 = 288'h0;
  parameter [287:0] INIT_RAM_0A = 288'h0;
  parameter [287:0] INIT_RAM_0B = 288'h0;
  parameter [287:0] INIT_RAM_0C = 288'h0;
  parameter [287:0] INIT_RAM_0D = 288'h0;
  parameter [287:0] INIT_RAM_0E = 288'h0;
  parameter [287:0] INIT_RAM_0F = 288'h0;
  parameter [287:0] INIT_RAM_10 = 288'h0;
  parameter [287:0] INIT_RAM_11 = 288'h0;
  parameter [287:0] INIT_RAM_12 = 288'h0;
  parameter [287:0] INIT_RAM_13 = 288'h0;
  parameter [287:0] INIT_RAM_14 = 288'h0;
  parameter [287:0] INIT_RAM_15 = 288'h0;
  parameter [287:0] INIT_RAM_16 = 288'h0;
  parameter [287:0] INIT_RAM_17 = 288'h0;
  parameter [287:0] INIT_RAM_18 = 288'h0;
  parameter [287:0] INIT_RAM_19 = 288'h0;
  parameter [287:0] INIT_RAM_1A = 288'h0;
  parameter [287:0] INIT_RAM_1B = 288'h0;
  parameter [287:0] INIT_RAM_1C = 288'h0;
  parameter [287:0] INIT_RAM_1D = 288'h0;
  parameter [287:0] INIT_RAM_1E = 288'h0;
  parameter [287:0] INIT_RAM_1F = 288'h0;
  parameter [287:0] INIT_RAM_20 = 288'h0;
  parameter [287:0] INIT_RAM_21 = 288'h0;
  parameter [287:0] INIT_RAM_22 = 288'h0;
  parameter [287:0] INIT_RAM_23 = 288'h0;
  parameter [287:0] INIT_RAM_24 = 288'h0;
  parameter [287:0] INIT_RAM_25 = 288'h0;
  parameter [287:0] INIT_RAM_26 = 288'h0;
  parameter [287:0] INIT_RAM_27 = 288'h0;
  parameter [287:0] INIT_RAM_28 = 288'h0;
  parameter [287:0] INIT_RAM_29 = 288'h0;
  parameter [287:0] INIT_RAM_2A = 288'h0;
  parameter [287:0] INIT_RAM_2B = 288'h0;
  parameter [287:0] INIT_RAM_2C = 288'h0;
  parameter [287:0] INIT_RAM_2D = 288'h0;
  parameter [287:0] INIT_RAM_2E = 288'h0;
  parameter [287:0] INIT_RAM_2F = 288'h0;
  parameter [287:0] INIT_RAM_30 = 288'h0;
  parameter [287:0] INIT_RAM_31 = 288'h0;
  parameter [287:0] INIT_RAM_32 = 288'h0;
  parameter [287:0] INIT_RAM_33 = 288'h0;
  parameter [287:0] INIT_RAM_34 = 288'h0;
  parameter [287:0] INIT_RAM_35 = 288'h0;
  parameter [287:0] INIT_RAM_36 = 288'h0;
  parameter [287:0] INIT_RAM_37 = 288'h0;
  parameter [287:0] INIT_RAM_38 = 288'h0;
  parameter [287:0] INIT_RAM_39 = 288'h0;
  parameter [287:0] INIT_RAM_3A = 288'h0;
  parameter [287:0] INIT_RAM_3B = 288'h0;
  parameter [287:0] INIT_RAM_3C = 288'h0;
  parameter [287:0] INIT_RAM_3D = 288'h0;
  parameter [287:0] INIT_RAM_3E = 288'h0;
  parameter [287:0] INIT_RAM_3F = 288'h0;

  wire [35:0] unused;
  trme_gowin_ram #(9, BIT_WIDTH_0, BIT_WIDTH_1, 0, 0, 0, READ_MODE, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLKA, CEA & BLKSELA == BLK_SEL_0, 1'b1, 1'b0, 1'b0, ADA, DI, unused,
    CLKB, CEB & BLKSELB == BLK_SEL_1, 1'b0, RESETB, OCE, ADB, 36'd0, DO);
endmodule

module DPB (
  input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
  input [13:0] ADA, ADB,
  input [2:0] BLKSELA, BLKSELB,
  input [15:0] DIA, DIB,
  output [15:0] DOA, DOB
);
  parameter READ_MODE0 = 1'b0;
  parameter READ_MODE1 = 1'b0;
  parameter WRITE_MODE0 = 2'b00;
  parameter WRITE_MODE1 = 2'b00;
  parameter BIT_WIDTH_0 = 16;
  parameter BIT_WIDTH_1 = 16;
  parameter [2:0] BLK_SEL_0 = 3'b000;
  parameter [2:0] BLK_SEL_1 = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [255:0] INIT_RAM_00 = 256'h0;
  parameter [255:0] INIT_RAM_01 = 256'h0;
  parameter [255:0] INIT_RAM_02 = 256'h0;
  parameter [255:0] INIT_RAM_03 = 256'h0;
  parameter [255:0] INIT_RAM_04 = 256'h0;
  parameter [255:0] INIT_RAM_05 = 256'h0;
  parameter [255:0] INIT_RAM_06 = 256'h0;
  parameter [255:0] INIT_RAM_07 = 256'h0;
  parameter [255:0] INIT_RAM_08 = 256'h0;
  parameter [255:0] INIT_RAM_09 = 256'h0;
  parameter [255:0] INIT_RAM_0A = 256'h0;
  parameter [255:0] INIT_RAM_0B = 256'h0;
  parameter [255:0] INIT_RAM_0C = 256'h0;
  parameter [255:0] INIT_RAM_0D = 256'h0;
  parameter [255:0] INIT_RAM_0E = 256'h0;
  parameter [255:0] INIT_RAM_0F = 256'h0;
  parameter [255:0] INIT_RAM_10 = 256'h0;
  parameter [255:0] INIT_RAM_11 = 256'h0;
  parameter [255:0] INIT_RAM_12 = 256'h0;
  parameter [255:0] INIT_RAM_13 = 256'h0;
  parameter [255:0] INIT_RAM_14 = 256'h0;
  parameter [255:0] INIT_RAM_15 = 256'h0;
  parameter [255:0] INIT_RAM_16 = 256'h0;
  parameter [255:0] INIT_RAM_17 = 256'h0;
  parameter [255:0] INIT_RAM_18 = 256'h0;
  parameter [255:0] INIT_RAM_19 = 256'h0;
  parameter [255:0] INIT_RAM_1A = 256'h0;
  parameter [255:0] INIT_RAM_1B = 256'h0;
  parameter [255:0] INIT_RAM_1C = 256'h0;
  parameter [255:0] INIT_RAM_1D = 256'h0;
  parameter [255:0] INIT_RAM_1E = 256'h0;
  parameter [255:0] INIT_RAM_1F = 256'h0;
  parameter [255:0] INIT_RAM_20 = 256'h0;
  parameter [255:0] INIT_RAM_21 = 256'h0;
  parameter [255:0] INIT_RAM_22 = 256'h0;
  parameter [255:0] INIT_RAM_23 = 256'h0;
  parameter [255:0] INIT_RAM_24 = 256'h0;
  parameter [255:0] INIT_RAM_25 = 256'h0;
  parameter [255:0] INIT_RAM_26 = 256'h0;
  parameter [255:0] INIT_RAM_27 = 256'h0;
  parameter [255:0] INIT_RAM_28 = 256'h0;
  parameter [255:0] INIT_RAM_29 = 256'h0;
  parameter [255:0] INIT_RAM_2A = 256'h0;
  parameter [255:0] INIT_RAM_2B = 256'h0;
  parameter [255:0] INIT_RAM_2C = 256'h0;
  parameter [255:0] INIT_RAM_2D = 256'h0;
  parameter [255:0] INIT_RAM_2E = 256'h0;
  parameter [255:0] INIT_RAM_2F = 256'h0;
  parameter [255:0] INIT_RAM_30 = 256'h0;
  parameter [255:0] INIT_RAM_31 = 256'h0;
  parameter [255:0] INIT_RAM_32 = 256'h0;
  parameter [255:0] INIT_RAM_33 = 256'h0;
  parameter [255:0] INIT_RAM_34 = 256'h0;
  parameter [255:0] INIT_RAM_35 = 256'h0;
  parameter [255:0] INIT_RAM_36 = 256'h0;
  parameter [255:0] INIT_RAM_37 = 256'h0;
  parameter [255:0] INIT_RAM_38 = 256'h0;
  parameter [255:0] INIT_RAM_39 = 256'h0;
  parameter [255:0] INIT_RAM_3A = 256'h0;
  parameter [255:0] INIT_RAM_3B = 256'h0;
  parameter [255:0] INIT_RAM_3C = 256'h0;
  parameter [255:0] INIT_RAM_3D = 256'h0;
  parameter [255:0] INIT_RAM_3E = 256'h0;
  parameter [255:0] INIT_RAM_3F = 256'h0;

  generate
    if (BIT_WIDTH_0 > 16 || BIT_WIDTH_1 > 16) begin : bad_width
      DPB_needs_BIT_WIDTH_up_to_16 refused ();
    end
  endgenerate
  wire [31:0] q_a, q_b;
  assign DOA = q_a[15:0];
  assign DOB = q_b[15:0];
  trme_gowin_ram #(8, BIT_WIDTH_0, BIT_WIDTH_1, WRITE_MODE0, WRITE_MODE1, READ_MODE0, READ_MODE1, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLKA, CEA & BLKSELA == BLK_SEL_0, WREA, RESETA, OCEA, ADA, {16'd0, DIA}, q_a,
    CLKB, CEB & BLKSELB == BLK_SEL_1, WREB, RESETB, OCEB, ADB, {16'd0, DIB}, q_b);
endmodule

module DPX9B (
  input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
  input [13:0] ADA, ADB,
  input [2:0] BLKSELA, BLKSELB,
  input [17:0] DIA, DIB,
  output [17:0] DOA, DOB
);
  parameter READ_MODE0 = 1'b0;
  parameter READ_MODE1 = 1'b0;
  parameter WRITE_MODE0 = 2'b00;
  parameter WRITE_MODE1 = 2'b00;
  parameter BIT_WIDTH_0 = 18;
  parameter BIT_WIDTH_1 = 18;
  parameter [2:0] BLK_SEL_0 = 3'b000;
  parameter [2:0] BLK_SEL_1 = 3'b000;
  parameter RESET_MODE = "SYNC";
  parameter [287:0] INIT_RAM_00 = 288'h0;
  parameter [287:0] INIT_RAM_01 = 288'h0;
  parameter [287:0] INIT_RAM_02 = 288'h0;
  parameter [287:0] INIT_RAM_03 = 288'h0;
  parameter [287:0] INIT_RAM_04 = 288'h0;
  parameter [287:0] INIT_RAM_05 = 288'h0;
  parameter [287:0] INIT_RAM_06 = 288'h0;
  parameter [287:0] INIT_RAM_07 = 288'h0;
  parameter [287:0] INIT_RAM_08 = 288'h0;
  parameter [287:0] INIT_RAM_09 = 288'h0;
  parameter [287:0] INIT_RAM_0A = 288'h0;
  parameter [287:0] INIT_RAM_0B = 288'h0;
  parameter [287:0] INIT_RAM_0C = 288'h0;
  parameter [287:0] INIT_RAM_0D = 288'h0;
  parameter [287:0] INIT_RAM_0E = 288'h0;
  parameter [287:0] INIT_RAM_0F = 288'h0;
  parameter [287:0] INIT_RAM_10 = 288'h0;
  parameter [287:0] INIT_RAM_11 = 288'h0;
  parameter [287:0] INIT_RAM_12 = 288'h0;
  parameter [287:0] INIT_RAM_13 = 288'h0;
  parameter [287:0] INIT_RAM_14 = 288'h0;
  parameter [287:0] INIT_RAM_15 = 288'h0;
  parameter [287:0] INIT_RAM_16 = 288'h0;
  parameter [287:0] INIT_RAM_17 = 288'h0;
  parameter [287:0] INIT_RAM_18 = 288'h0;
  parameter [287:0] INIT_RAM_19 = 288'h0;
  parameter [287:0] INIT_RAM_1A = 288'h0;
  parameter [287:0] INIT_RAM_1B = 288'h0;
  parameter [287:0] INIT_RAM_1C = 288'h0;
  parameter [287:0] INIT_RAM_1D = 288'h0;
  parameter [287:0] INIT_RAM_1E = 288'h0;
  parameter [287:0] INIT_RAM_1F = 288'h0;
  parameter [287:0] INIT_RAM_20 = 288'h0;
  parameter [287:0] INIT_RAM_21 = 288'h0;
  parameter [287:0] INIT_RAM_22 = 288'h0;
  parameter [287:0] INIT_RAM_23 = 288'h0;
  parameter [287:0] INIT_RAM_24 = 288'h0;
  parameter [287:0] INIT_RAM_25 = 288'h0;
  parameter [287:0] INIT_RAM_26 = 288'h0;
  parameter [287:0] INIT_RAM_27 = 288'h0;
  parameter [287:0] INIT_RAM_28 = 288'h0;
  parameter [287:0] INIT_RAM_29 = 288'h0;
  parameter [287:0] INIT_RAM_2A = 288'h0;
  parameter [287:0] INIT_RAM_2B = 288'h0;
  parameter [287:0] INIT_RAM_2C = 288'h0;
  parameter [287:0] INIT_RAM_2D = 288'h0;
  parameter [287:0] INIT_RAM_2E = 288'h0;
  parameter [287:0] INIT_RAM_2F = 288'h0;
  parameter [287:0] INIT_RAM_30 = 288'h0;
  parameter [287:0] INIT_RAM_31 = 288'h0;
  parameter [287:0] INIT_RAM_32 = 288'h0;
  parameter [287:0] INIT_RAM_33 = 288'h0;
  parameter [287:0] INIT_RAM_34 = 288'h0;
  parameter [287:0] INIT_RAM_35 = 288'h0;
  parameter [287:0] INIT_RAM_36 = 288'h0;
  parameter [287:0] INIT_RAM_37 = 288'h0;
  parameter [287:0] INIT_RAM_38 = 288'h0;
  parameter [287:0] INIT_RAM_39 = 288'h0;
  parameter [287:0] INIT_RAM_3A = 288'h0;
  parameter [287:0] INIT_RAM_3B = 288'h0;
  parameter [287:0] INIT_RAM_3C = 288'h0;
  parameter [287:0] INIT_RAM_3D = 288'h0;
  parameter [287:0] INIT_RAM_3E = 288'h0;
  parameter [287:0] INIT_RAM_3F = 288'h0;

  generate
    if (BIT_WIDTH_0 > 18 || BIT_WIDTH_1 > 18) begin : bad_width
      DPX9B_needs_BIT_WIDTH_up_to_18 refused ();
    end
  endgenerate
  wire [35:0] q_a, q_b;
  assign DOA = q_a[17:0];
  assign DOB = q_b[17:0];
  trme_gowin_ram #(9, BIT_WIDTH_0, BIT_WIDTH_1, WRITE_MODE0, WRITE_MODE1, READ_MODE0, READ_MODE1, RESET_MODE, {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}) ram (
    CLKA, CEA & BLKSELA == BLK_SEL_0, WREA, RESETA, OCEA, ADA, {18'd0, DIA}, q_a,
    CLKB, CEB & BLKSELB == BLK_SEL_1, WREB, RESETB, OCEB, ADB, {18'd0, DIB}, q_b);
endmodule
