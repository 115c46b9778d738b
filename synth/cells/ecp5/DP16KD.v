// SPDX-License-Identifier: Apache-2.0
// ECP5's block RAM: widths 1, 2, 4, 9, 18 on both ports; or 36 as Yosys uses it, port A writing 36 bits and port B reading 1 to
// 36. Where both ports reach the same bits in a cycle and one writes, hardware promises nothing; here a read gives the old
// contents. RESETMODE "SYNC": the reset clears the outputs whatever CE and OCE, and keeps that port from writing in that
// cycle. READBEFOREWRITE works for all widths, as Yosys wants it; others say that hardware has it for 9 and more only. Not:
// ASYNC_RESET_RELEASE "SYNC" with an asynchronous reset; inversions of data and addresses (DIA0MUX ... ADB13MUX, DOA0MUX).

// The register or two behind the array.
module trme_ecp5_ram_output #(parameter WIDTH = 18, parameter REGMODE = "NOREG", parameter RESETMODE = "SYNC") (
  input clock, input reset, input load, input output_enable,
  input [WIDTH-1:0] d,
  output [WIDTH-1:0] q
);
  reg [WIDTH-1:0] latch, register;
  initial {latch, register} = {(2*WIDTH){1'b0}};
  assign q = REGMODE == "OUTREG" ? register : latch;

  generate
    if (RESETMODE == "ASYNC") begin : asynchronous
      always @(posedge clock or posedge reset)
        if (reset) {latch, register} <= {(2*WIDTH){1'b0}};
        else begin
          if (load) latch <= d;
          if (output_enable) register <= latch;
        end
    end else begin : synchronous
      always @(posedge clock)
        if (reset) {latch, register} <= {(2*WIDTH){1'b0}};
        else begin
          if (load) latch <= d;
          if (output_enable) register <= latch;
        end
    end
  endgenerate
endmodule

// One port of up to 18 bits: where in the row of 18 its bits begin, which of the row's bytes it writes, and what it reads.
module trme_ecp5_ram_port #(
  parameter WIDTH = 18,
  parameter REGMODE = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter WRITEMODE = "NORMAL"
) (
  input clock, input reset, input active, input output_enable, input write_enable,
  input [3:0] position,
  input [17:0] d,
  input [17:0] row,
  output [4:0] first,
  output [1:0] write,
  output [17:0] q
);
  wire [2:0] bit_in_byte = WIDTH == 1 ? position[2:0] : WIDTH == 2 ? {position[2:1], 1'b0} : {position[2] & WIDTH == 4, 2'b00};
  assign first = {2'b00, bit_in_byte} + (WIDTH != 18 & position[3] ? 5'd9 : 5'd0);

  // With 18 bits the lowest two address bits are byte enables instead.
  wire go = active & write_enable & ~(RESETMODE == "SYNC" & reset);
  assign write = WIDTH == 18 ? {2{go}} & position[1:0] : {1'b0, go};

  // When it writes too, it reads: nothing new, or what is being written, or what was there.
  localparam [17:0] PART = (1 << WIDTH) - 1;
  wire [17:0] old = (row >> first) & PART;
  wire [17:0] fresh = WIDTH == 18 ? {position[1] ? d[17:9] : old[17:9], position[0] ? d[8:0] : old[8:0]} : d & PART;
  wire load = active & ~(write_enable & WRITEMODE == "NORMAL");
  trme_ecp5_ram_output #(18, REGMODE, RESETMODE) out
    (clock, reset, load, output_enable, write_enable & WRITEMODE == "WRITETHROUGH" ? fresh : old, q);
endmodule

module DP16KD (
  input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter GSR = "ENABLED";
  parameter WID = 0;
  parameter INIT_DATA = "STATIC";
  parameter CLKAMUX = "CLKA";
  parameter CEAMUX = "CEA";
  parameter OCEAMUX = "OCEA";
  parameter WEAMUX = "WEA";
  parameter RSTAMUX = "RSTA";
  parameter CSA2MUX = "CSA2";
  parameter CSA1MUX = "CSA1";
  parameter CSA0MUX = "CSA0";
  parameter CLKBMUX = "CLKB";
  parameter CEBMUX = "CEB";
  parameter OCEBMUX = "OCEB";
  parameter WEBMUX = "WEB";
  parameter RSTBMUX = "RSTB";
  parameter CSB2MUX = "CSB2";
  parameter CSB1MUX = "CSB1";
  parameter CSB0MUX = "CSB0";
  parameter [319:0] INITVAL_00 = 320'h0;
  parameter [319:0] INITVAL_01 = 320'h0;
  parameter [319:0] INITVAL_02 = 320'h0;
  parameter [319:0] INITVAL_03 = 320'h0;
  parameter [319:0] INITVAL_04 = 320'h0;
  parameter [319:0] INITVAL_05 = 320'h0;
  parameter [319:0] INITVAL_06 = 320'h0;
  parameter [319:0] INITVAL_07 = 320'h0;
  parameter [319:0] INITVAL_08 = 320'h0;
  parameter [319:0] INITVAL_09 = 320'h0;
  parameter [319:0] INITVAL_0A = 320'h0;
  parameter [319:0] INITVAL_0B = 320'h0;
  parameter [319:0] INITVAL_0C = 320'h0;
  parameter [319:0] INITVAL_0D = 320'h0;
  parameter [319:0] INITVAL_0E = 320'h0;
  parameter [319:0] INITVAL_0F = 320'h0;
  parameter [319:0] INITVAL_10 = 320'h0;
  parameter [319:0] INITVAL_11 = 320'h0;
  parameter [319:0] INITVAL_12 = 320'h0;
  parameter [319:0] INITVAL_13 = 320'h0;
  parameter [319:0] INITVAL_14 = 320'h0;
  parameter [319:0] INITVAL_15 = 320'h0;
  parameter [319:0] INITVAL_16 = 320'h0;
  parameter [319:0] INITVAL_17 = 320'h0;
  parameter [319:0] INITVAL_18 = 320'h0;
  parameter [319:0] INITVAL_19 = 320'h0;
  parameter [319:0] INITVAL_1A = 320'h0;
  parameter [319:0] INITVAL_1B = 320'h0;
  parameter [319:0] INITVAL_1C = 320'h0;
  parameter [319:0] INITVAL_1D = 320'h0;
  parameter [319:0] INITVAL_1E = 320'h0;
  parameter [319:0] INITVAL_1F = 320'h0;
  parameter [319:0] INITVAL_20 = 320'h0;
  parameter [319:0] INITVAL_21 = 320'h0;
  parameter [319:0] INITVAL_22 = 320'h0;
  parameter [319:0] INITVAL_23 = 320'h0;
  parameter [319:0] INITVAL_24 = 320'h0;
  parameter [319:0] INITVAL_25 = 320'h0;
  parameter [319:0] INITVAL_26 = 320'h0;
  parameter [319:0] INITVAL_27 = 320'h0;
  parameter [319:0] INITVAL_28 = 320'h0;
  parameter [319:0] INITVAL_29 = 320'h0;
  parameter [319:0] INITVAL_2A = 320'h0;
  parameter [319:0] INITVAL_2B = 320'h0;
  parameter [319:0] INITVAL_2C = 320'h0;
  parameter [319:0] INITVAL_2D = 320'h0;
  parameter [319:0] INITVAL_2E = 320'h0;
  parameter [319:0] INITVAL_2F = 320'h0;
  parameter [319:0] INITVAL_30 = 320'h0;
  parameter [319:0] INITVAL_31 = 320'h0;
  parameter [319:0] INITVAL_32 = 320'h0;
  parameter [319:0] INITVAL_33 = 320'h0;
  parameter [319:0] INITVAL_34 = 320'h0;
  parameter [319:0] INITVAL_35 = 320'h0;
  parameter [319:0] INITVAL_36 = 320'h0;
  parameter [319:0] INITVAL_37 = 320'h0;
  parameter [319:0] INITVAL_38 = 320'h0;
  parameter [319:0] INITVAL_39 = 320'h0;
  parameter [319:0] INITVAL_3A = 320'h0;
  parameter [319:0] INITVAL_3B = 320'h0;
  parameter [319:0] INITVAL_3C = 320'h0;
  parameter [319:0] INITVAL_3D = 320'h0;
  parameter [319:0] INITVAL_3E = 320'h0;
  parameter [319:0] INITVAL_3F = 320'h0;

  localparam WIDE = DATA_WIDTH_A == 36;
  localparam WIDTH_A = WIDE ? 18 : DATA_WIDTH_A;
  localparam WIDTH_B = DATA_WIDTH_B == 36 ? 18 : DATA_WIDTH_B;
  localparam PART_A = WIDTH_A < 9 ? WIDTH_A : 9;
  localparam PART_B = WIDTH_B < 9 ? WIDTH_B : 9;

  generate
    if (DATA_WIDTH_A != 1 && DATA_WIDTH_A != 2 && DATA_WIDTH_A != 4 && DATA_WIDTH_A != 9 && DATA_WIDTH_A != 18 && !WIDE)
    begin : bad_width_a
      DP16KD_needs_DATA_WIDTH_A_1_2_4_9_18_or_36 refused ();
    end
    if (DATA_WIDTH_B != 1 && DATA_WIDTH_B != 2 && DATA_WIDTH_B != 4 && DATA_WIDTH_B != 9 && DATA_WIDTH_B != 18
        && !(WIDE && DATA_WIDTH_B == 36))
    begin : bad_width_b
      DP16KD_needs_DATA_WIDTH_B_1_2_4_9_18_or_36_with_DATA_WIDTH_A_36 refused ();
    end
    if (REGMODE_A != "NOREG" && REGMODE_A != "OUTREG") begin : bad_regmode_a
      DP16KD_needs_REGMODE_A_NOREG_or_OUTREG refused ();
    end
    if (REGMODE_B != "NOREG" && REGMODE_B != "OUTREG") begin : bad_regmode_b
      DP16KD_needs_REGMODE_B_NOREG_or_OUTREG refused ();
    end
    if (WRITEMODE_A != "NORMAL" && WRITEMODE_A != "WRITETHROUGH" && WRITEMODE_A != "READBEFOREWRITE") begin : bad_writemode_a
      DP16KD_needs_WRITEMODE_A_NORMAL_WRITETHROUGH_or_READBEFOREWRITE refused ();
    end
    if (WRITEMODE_B != "NORMAL" && WRITEMODE_B != "WRITETHROUGH" && WRITEMODE_B != "READBEFOREWRITE") begin : bad_writemode_b
      DP16KD_needs_WRITEMODE_B_NORMAL_WRITETHROUGH_or_READBEFOREWRITE refused ();
    end
    if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") begin : bad_reset
      DP16KD_needs_RESETMODE_SYNC_or_ASYNC refused ();
    end
    if (RESETMODE == "ASYNC" && ASYNC_RESET_RELEASE != "ASYNC") begin : bad_release
      DP16KD_models_only_ASYNC_RESET_RELEASE_ASYNC_with_RESETMODE_ASYNC refused ();
    end
    if (CLKAMUX != "CLKA" && CLKAMUX != "INV") begin : bad_CLKAMUX
      DP16KD_needs_CLKAMUX_CLKA_or_INV refused ();
    end
    if (CLKBMUX != "CLKB" && CLKBMUX != "INV") begin : bad_CLKBMUX
      DP16KD_needs_CLKBMUX_CLKB_or_INV refused ();
    end
    if (CEAMUX != "CEA" && CEAMUX != "INV" && CEAMUX != "1" && CEAMUX != "0") begin : bad_CEAMUX
      DP16KD_needs_CEAMUX_CEA_INV_1_or_0 refused ();
    end
    if (OCEAMUX != "OCEA" && OCEAMUX != "INV" && OCEAMUX != "1" && OCEAMUX != "0") begin : bad_OCEAMUX
      DP16KD_needs_OCEAMUX_OCEA_INV_1_or_0 refused ();
    end
    if (WEAMUX != "WEA" && WEAMUX != "INV" && WEAMUX != "1" && WEAMUX != "0") begin : bad_WEAMUX
      DP16KD_needs_WEAMUX_WEA_INV_1_or_0 refused ();
    end
    if (RSTAMUX != "RSTA" && RSTAMUX != "INV" && RSTAMUX != "1" && RSTAMUX != "0") begin : bad_RSTAMUX
      DP16KD_needs_RSTAMUX_RSTA_INV_1_or_0 refused ();
    end
    if (CSA2MUX != "CSA2" && CSA2MUX != "INV" && CSA2MUX != "1" && CSA2MUX != "0") begin : bad_CSA2MUX
      DP16KD_needs_CSA2MUX_CSA2_INV_1_or_0 refused ();
    end
    if (CSA1MUX != "CSA1" && CSA1MUX != "INV" && CSA1MUX != "1" && CSA1MUX != "0") begin : bad_CSA1MUX
      DP16KD_needs_CSA1MUX_CSA1_INV_1_or_0 refused ();
    end
    if (CSA0MUX != "CSA0" && CSA0MUX != "INV" && CSA0MUX != "1" && CSA0MUX != "0") begin : bad_CSA0MUX
      DP16KD_needs_CSA0MUX_CSA0_INV_1_or_0 refused ();
    end
    if (CEBMUX != "CEB" && CEBMUX != "INV" && CEBMUX != "1" && CEBMUX != "0") begin : bad_CEBMUX
      DP16KD_needs_CEBMUX_CEB_INV_1_or_0 refused ();
    end
    if (OCEBMUX != "OCEB" && OCEBMUX != "INV" && OCEBMUX != "1" && OCEBMUX != "0") begin : bad_OCEBMUX
      DP16KD_needs_OCEBMUX_OCEB_INV_1_or_0 refused ();
    end
    if (WEBMUX != "WEB" && WEBMUX != "INV" && WEBMUX != "1" && WEBMUX != "0") begin : bad_WEBMUX
      DP16KD_needs_WEBMUX_WEB_INV_1_or_0 refused ();
    end
    if (RSTBMUX != "RSTB" && RSTBMUX != "INV" && RSTBMUX != "1" && RSTBMUX != "0") begin : bad_RSTBMUX
      DP16KD_needs_RSTBMUX_RSTB_INV_1_or_0 refused ();
    end
    if (CSB2MUX != "CSB2" && CSB2MUX != "INV" && CSB2MUX != "1" && CSB2MUX != "0") begin : bad_CSB2MUX
      DP16KD_needs_CSB2MUX_CSB2_INV_1_or_0 refused ();
    end
    if (CSB1MUX != "CSB1" && CSB1MUX != "INV" && CSB1MUX != "1" && CSB1MUX != "0") begin : bad_CSB1MUX
      DP16KD_needs_CSB1MUX_CSB1_INV_1_or_0 refused ();
    end
    if (CSB0MUX != "CSB0" && CSB0MUX != "INV" && CSB0MUX != "1" && CSB0MUX != "0") begin : bad_CSB0MUX
      DP16KD_needs_CSB0MUX_CSB0_INV_1_or_0 refused ();
    end
  endgenerate

  // The settings that pins can have, by port.
  wire clk_a = CLKAMUX == "INV" ? ~CLKA : CLKA;
  wire clk_b = CLKBMUX == "INV" ? ~CLKB : CLKB;
  wire ce_a = CEAMUX == "1" ? 1'b1 : CEAMUX == "0" ? 1'b0 : CEAMUX == "INV" ? ~CEA : CEA;
  wire oce_a = OCEAMUX == "1" ? 1'b1 : OCEAMUX == "0" ? 1'b0 : OCEAMUX == "INV" ? ~OCEA : OCEA;
  wire we_a = WEAMUX == "1" ? 1'b1 : WEAMUX == "0" ? 1'b0 : WEAMUX == "INV" ? ~WEA : WEA;
  wire rst_a = RSTAMUX == "1" ? 1'b1 : RSTAMUX == "0" ? 1'b0 : RSTAMUX == "INV" ? ~RSTA : RSTA;
  wire cs2_a = CSA2MUX == "1" ? 1'b1 : CSA2MUX == "0" ? 1'b0 : CSA2MUX == "INV" ? ~CSA2 : CSA2;
  wire cs1_a = CSA1MUX == "1" ? 1'b1 : CSA1MUX == "0" ? 1'b0 : CSA1MUX == "INV" ? ~CSA1 : CSA1;
  wire cs0_a = CSA0MUX == "1" ? 1'b1 : CSA0MUX == "0" ? 1'b0 : CSA0MUX == "INV" ? ~CSA0 : CSA0;
  wire ce_b = CEBMUX == "1" ? 1'b1 : CEBMUX == "0" ? 1'b0 : CEBMUX == "INV" ? ~CEB : CEB;
  wire oce_b = OCEBMUX == "1" ? 1'b1 : OCEBMUX == "0" ? 1'b0 : OCEBMUX == "INV" ? ~OCEB : OCEB;
  wire we_b = WEBMUX == "1" ? 1'b1 : WEBMUX == "0" ? 1'b0 : WEBMUX == "INV" ? ~WEB : WEB;
  wire rst_b = RSTBMUX == "1" ? 1'b1 : RSTBMUX == "0" ? 1'b0 : RSTBMUX == "INV" ? ~RSTB : RSTB;
  wire cs2_b = CSB2MUX == "1" ? 1'b1 : CSB2MUX == "0" ? 1'b0 : CSB2MUX == "INV" ? ~CSB2 : CSB2;
  wire cs1_b = CSB1MUX == "1" ? 1'b1 : CSB1MUX == "0" ? 1'b0 : CSB1MUX == "INV" ? ~CSB1 : CSB1;
  wire cs0_b = CSB0MUX == "1" ? 1'b1 : CSB0MUX == "0" ? 1'b0 : CSB0MUX == "INV" ? ~CSB0 : CSB0;
  wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] d_a = {
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] d_b = {
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

  // Selected where the three pins read as the digits of CSDECODE, such as "0b000", the last of which is pin 0.
  function [2:0] digits(input [39:0] text);
    digits = {text[16], text[8], text[0]};
  endfunction
  wire active_a = ce_a & {cs2_a, cs1_a, cs0_a} == digits(CSDECODE_A);
  wire active_b = ce_b & {cs2_b, cs1_b, cs0_b} == digits(CSDECODE_B);

  // 1024 rows of two 9-bit bytes. A byte's ninth bit is out of reach for the widths 1, 2 and 4.
  reg [17:0] rows [0:1023];
  localparam [64*320-1:0] INITVAL = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
  integer n;
  initial
    for (n = 0; n < 1024; n = n + 1) rows[n] = INITVAL[n*20 +: 18];

  wire [9:0] row_a = {address_a[13:5], address_a[4] & !WIDE};
  wire [9:0] row_b = {address_b[13:5], address_b[4] & DATA_WIDTH_B != 36};
  wire [4:0] first_a, first_b;
  wire [1:0] write_a, write_b;
  wire [17:0] q_a, q_b, do_a, do_b;
  assign {
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = do_a;
  assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = do_b;
  trme_ecp5_ram_port #(WIDTH_A, REGMODE_A, RESETMODE, WRITEMODE_A) port_a
    (clk_a, rst_a, active_a, oce_a, we_a, address_a[3:0], d_a, rows[row_a], first_a, write_a, q_a);
  trme_ecp5_ram_port #(WIDTH_B, REGMODE_B, RESETMODE, WRITEMODE_B) port_b
    (clk_b, rst_b, active_b, oce_b, we_b & !WIDE, address_b[3:0], d_b, rows[row_b], first_b, write_b, q_b);

  always @(posedge clk_a) begin
    if (write_a[0]) rows[row_a][first_a +: PART_A] <= d_a[PART_A-1:0];
    if (write_a[1]) rows[row_a][17:9] <= d_a[17:9];
  end

  generate
    if (WIDE) begin : wide
      // Port A writes a second row too, with the enables of its bytes in two more address bits; port B only reads.
      always @(posedge clk_a)
        if (active_a & we_a & ~(RESETMODE == "SYNC" & rst_a)) begin
          if (address_a[2]) rows[{address_a[13:5], 1'b1}][8:0] <= d_b[8:0];
          if (address_a[3]) rows[{address_a[13:5], 1'b1}][17:9] <= d_b[17:9];
        end
      always @(posedge clk_b)
        if (active_b & we_b) begin
          $display("%m: DP16KD with DATA_WIDTH_A 36 is modelled with a port B that only reads, but WEB is 1");
          $stop;
        end
    end else begin : narrow
      always @(posedge clk_b) begin
        if (write_b[0]) rows[row_b][first_b +: PART_B] <= d_b[PART_B-1:0];
        if (write_b[1]) rows[row_b][17:9] <= d_b[17:9];
      end
    end

    // A wide read comes out of both ports, the lower half of port A; one of up to 18 bits of port B.
    if (DATA_WIDTH_B == 36) begin : wide_read
      wire [17:0] upper;
      trme_ecp5_ram_output #(18, REGMODE_B, RESETMODE) out
        (clk_b, rst_b, active_b, oce_b, rows[{address_b[13:5], 1'b1}], upper);
      assign do_a = q_b;
      assign do_b = upper;
    end else begin : narrow_read
      assign do_a = WIDE ? 18'd0 : q_a;
      assign do_b = q_b;
    end
  endgenerate
endmodule
