# SPDX-License-Identifier: Apache-2.0
"""Modular multiplication by the operators of the language."""

from golden.modular import ModMulParams
from hdl.manifest import Manifest
from trme.baselines import Baseline

__all__ = ["naive_modmul"]

_VERILOG = """\
module naive_modmul (
  input clk, input rst,
  input [{payload}:0] i__payload, input i__valid,
  output reg [{residue}:0] o__payload, output reg o__valid
);
  reg [{residue}:0] a, b;
  reg valid;
  wire [{product}:0] x = a * b;
  always @(posedge clk) begin
    {{b, a}} <= i__payload;
    o__payload <= x % {modulus};
    {{o__valid, valid}} <= rst ? 2'b00 : {{valid, i__valid}};
  end
endmodule
"""


def naive_modmul(params: ModMulParams, core: Manifest) -> Baseline:
    """``(a * b) % m`` between a register on the operands and one on the residue: latency 2, initiation interval 1.

    Parameters
    ----------
    core : Manifest
        Of the free-running unit.
    """
    k = params.residue_bits
    verilog = _VERILOG.format(
        payload=2 * k - 1, residue=k - 1, product=2 * k - 1, modulus=f"{params.modulus.bit_length()}'d{params.modulus}"
    )
    return Baseline.like(core, f"(a * b) % {params.modulus}", verilog, top="naive_modmul", latency_cycles=2)
