// SPDX-License-Identifier: Apache-2.0
// What DP16K, PDP16K and PDPSC16K share, with widths X1, X2, X4, X9, X18, and the latter two also X36. A read of what the other
// port writes in the same cycle gives the old contents; Yosys counts on that for PDPSC16K only. A synchronous reset works with
// the clock enable on only. Not: output registers (OUTREG), ECC and its flags, ASYNC_RST_RELEASE other than RESETMODE.

// What a port has read.
module trme_nexus_ram_output #(parameter RESETMODE = "SYNC") (
  input clock, input reset, input active, input load,
  input [35:0] d,
  output reg [35:0] q
);
  initial q = 36'd0;
  generate
    if (RESETMODE == "ASYNC") begin : asynchronous
      always @(posedge clock or posedge reset)
        if (reset) q <= 36'd0;
        else if (load) q <= d;
    end else if (RESETMODE == "SYNC") begin : synchronous
      always @(posedge clock)
        if (active & reset) q <= 36'd0;
        else if (load) q <= d;
    end else begin : bad_reset
      Nexus_RAM_needs_RESETMODE_SYNC_or_ASYNC refused ();
    end
  endgenerate
endmodule

// 2048 bytes of 9 bits and two ports. A byte's ninth bit is out of reach for the widths 1, 2 and 4.
module trme_nexus_ram #(
  parameter [39:0] DATA_WIDTH_A = "X18",
  parameter [39:0] DATA_WIDTH_B = "X18",
  parameter RESETMODE_A = "SYNC",
  parameter RESETMODE_B = "SYNC",
  parameter [64*82*8-1:0] INITVAL = 0
) (
  input clk_a, input active_a, input we_a, input rst_a, input [13:0] address_a, input [35:0] d_a, output [35:0] q_a,
  input clk_b, input active_b, input we_b, input rst_b, input [13:0] address_b, input [35:0] d_b, output [35:0] q_b
);
  function integer width_of(input [39:0] text);
    width_of = text == "X1" ? 1 : text == "X2" ? 2 : text == "X4" ? 4 : text == "X9" ? 9 : text == "X18" ? 18
             : text == "X36" ? 36 : 0;
  endfunction
  localparam WIDTH_A = width_of(DATA_WIDTH_A);
  localparam WIDTH_B = width_of(DATA_WIDTH_B);
  generate
    if (WIDTH_A == 0 || WIDTH_B == 0) begin : bad_width
      Nexus_RAM_needs_DATA_WIDTH_X1_X2_X4_X9_X18_or_X36 refused ();
    end
  endgenerate

  reg [8:0] bytes [0:2047];

  // The contents come as 64 texts, "0x" and 80 digits, with ten bits for each byte.
  function [319:0] number(input [82*8-1:0] text);
    integer digit;
    for (digit = 0; digit < 80; digit = digit + 1)
      number[digit*4 +: 4] = text[digit*8 +: 4] + (text[digit*8 + 6] ? 4'd9 : 4'd0);
  endfunction
  genvar slice;
  generate
    for (slice = 0; slice < 64; slice = slice + 1) begin : contents
      localparam [319:0] VALUE = number(INITVAL[slice*82*8 +: 82*8]);
      integer n;
      initial
        for (n = 0; n < 32; n = n + 1) bytes[slice*32 + n] = VALUE[n*10 +: 9];
    end
  endgenerate

  // The lowest byte that a port reaches, and the bit in it; from 18 bits on the lowest address bits are byte enables.
  function [10:0] lowest(input integer width, input [13:0] address);
    lowest = width == 36 ? {address[13:5], 2'b00} : width == 18 ? {address[13:4], 1'b0} : address[13:3];
  endfunction
  function [2:0] start(input integer width, input [13:0] address);
    start = width == 1 ? address[2:0] : width == 2 ? {address[2:1], 1'b0} : width == 4 ? {address[2], 2'b00} : 3'd0;
  endfunction
  function [3:0] enables(input integer width, input [13:0] address);
    enables = width == 36 ? address[3:0] : width == 18 ? {2'b00, address[1:0]} : 4'b0001;
  endfunction
  localparam PART_A = WIDTH_A < 9 ? WIDTH_A : 9;
  localparam PART_B = WIDTH_B < 9 ? WIDTH_B : 9;
  wire [10:0] byte_a = lowest(WIDTH_A, address_a);
  wire [10:0] byte_b = lowest(WIDTH_B, address_b);
  wire [2:0] bit_a = start(WIDTH_A, address_a);
  wire [2:0] bit_b = start(WIDTH_B, address_b);
  wire [3:0] write_a = {4{active_a & we_a}} & enables(WIDTH_A, address_a);
  wire [3:0] write_b = {4{active_b & we_b}} & enables(WIDTH_B, address_b);

  always @(posedge clk_a) begin
    if (write_a[0]) bytes[byte_a][bit_a +: PART_A] <= d_a[PART_A-1:0];
    if (write_a[1]) bytes[byte_a | 11'd1] <= d_a[17:9];
    if (write_a[2]) bytes[byte_a | 11'd2] <= d_a[26:18];
    if (write_a[3]) bytes[byte_a | 11'd3] <= d_a[35:27];
  end
  always @(posedge clk_b) begin
    if (write_b[0]) bytes[byte_b][bit_b +: PART_B] <= d_b[PART_B-1:0];
    if (write_b[1]) bytes[byte_b | 11'd1] <= d_b[17:9];
    if (write_b[2]) bytes[byte_b | 11'd2] <= d_b[26:18];
    if (write_b[3]) bytes[byte_b | 11'd3] <= d_b[35:27];
  end

  localparam [35:0] SEEN_A = ~36'd0 >> (36 - WIDTH_A);
  localparam [35:0] SEEN_B = ~36'd0 >> (36 - WIDTH_B);
  wire [35:0] old_a = {bytes[byte_a | 11'd3], bytes[byte_a | 11'd2], bytes[byte_a | 11'd1], bytes[byte_a] >> bit_a} & SEEN_A;
  wire [35:0] old_b = {bytes[byte_b | 11'd3], bytes[byte_b | 11'd2], bytes[byte_b | 11'd1], bytes[byte_b] >> bit_b} & SEEN_B;
  trme_nexus_ram_output #(RESETMODE_A) out_a (clk_a, rst_a, active_a, active_a & ~we_a, old_a, q_a);
  trme_nexus_ram_output #(RESETMODE_B) out_b (clk_b, rst_b, active_b, active_b & ~we_b, old_b, q_b);
endmodule
