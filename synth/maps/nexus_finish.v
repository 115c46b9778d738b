// SPDX-License-Identifier: Apache-2.0
// Nexus' carry chains for nextpnr, which takes a chain's first CCU2 only with an open carry input. ABC9 ties it to 0 (Yosys
// issue 5639); what the first CCU2 carries on is its own A1, so that the input means nothing.
module VLO (output Z);
  assign Z = 1'b0;
endmodule

module CCU2 (input CIN, A0, B0, C0, D0, A1, B1, C1, D1, output S0, S1, COUT);
  parameter INJECT = "YES";
  parameter INIT0 = "0x0000";
  parameter INIT1 = "0x0000";
  parameter _TECHMAP_CONSTMSK_CIN_ = 1'b0;
  wire _TECHMAP_FAIL_ = !_TECHMAP_CONSTMSK_CIN_;
  CCU2 #(.INJECT(INJECT), .INIT0(INIT0), .INIT1(INIT1)) _TECHMAP_REPLACE_ (
    .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1), .S0(S0), .S1(S1), .COUT(COUT)
  );
endmodule
