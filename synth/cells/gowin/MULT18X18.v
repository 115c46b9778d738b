// SPDX-License-Identifier: Apache-2.0
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
