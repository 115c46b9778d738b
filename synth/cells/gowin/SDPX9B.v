// SPDX-License-Identifier: Apache-2.0
// Not: the GW5A's, which has one reset.
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
