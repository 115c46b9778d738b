// SPDX-License-Identifier: Apache-2.0
// What SP, SPX9, SDPB, SDPX9B, DPB and DPX9B share. Where two ports reach the same bits in the same cycle and one writes,
// hardware promises nothing; here a read gives the old contents. A synchronous reset works whatever CE and OCE.

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
