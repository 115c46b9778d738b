// SPDX-License-Identifier: Apache-2.0
// Not: OUT0_REG other than OUT1_REG.
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
