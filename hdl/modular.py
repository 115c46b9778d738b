# SPDX-License-Identifier: Apache-2.0
"""Modular multiplication by Barrett reduction, see golden/modular.py for the constants and why they are right::

    a, b -> |a, b| -> |x = a*b| -> |q = x*mu >> shift| -> |q*m| -> |r = x - q*m| -> |r >= m: r - m| -> o
                                                                                  corrections times

A bar is a register stage.
"""

from amaranth import *
from amaranth.lib import data

from golden.modular import ModMulParams
from hdl.stream import FreeRunning, delayed

__all__ = ["ModMul"]


class ModMul(FreeRunning):
    """``o = a * b mod m``: latency 5 cycles and one per correction, initiation interval 1.

    Inputs must be residues, at most m - 1; for others the output is not defined.

    Parameters
    ----------
    params : ModMulParams

    Members
    -------
    i : In(stream.Signature(StructLayout({"a": residue_bits, "b": residue_bits}), always_ready=True))
    o : Out(stream.Signature(residue_bits, always_ready=True))
    """

    def __init__(self, params: ModMulParams):
        self.params = params
        residue = unsigned(params.residue_bits)
        super().__init__(data.StructLayout({"a": residue, "b": residue}), residue)

    @property
    def latency(self) -> int:
        """Cycles from an operand pair to its product."""
        return 5 + self.params.reduction.corrections

    def elaborate(self, platform):
        m = Module()
        modulus, reduction = self.params.modulus, self.params.reduction

        def register(width, value, name):
            signal = Signal(width, reset_less=True, name=name)
            m.d.sync += signal.eq(value)
            return signal

        # Stage 1: operands.
        a = register(self.params.residue_bits, self.i.payload.a, "a")
        b = register(self.params.residue_bits, self.i.payload.b, "b")

        # Stage 2: their product, at most (m - 1)**2.
        x = register(reduction.x_bits, a * b, "x")

        # Stage 3: the quotient estimate. From here on x is needed only as far as the remainder is wide.
        scaled = x * C(reduction.mu, reduction.mu_bits)
        quotient = register(reduction.quotient_bits, scaled[reduction.shift :], "quotient")
        low_bits = min(reduction.remainder_bits, reduction.x_bits)
        x_low = register(low_bits, x[:low_bits], "x_low")

        # Stage 4: its part of x; 0 <= x - q*m < 2**remainder_bits, so that many bits of either suffice.
        part = register(reduction.remainder_bits, quotient * C(modulus), "part")
        x_part = register(low_bits, x_low, "x_part")

        # Stage 5: the remainder, short of at most `corrections` subtractions.
        remainder = register(reduction.remainder_bits, x_part - part, "remainder")

        # One stage per correction; each takes m off the bound on the remainder.
        for n in range(1, reduction.corrections + 1):
            reduced = Mux(remainder >= modulus, remainder - modulus, remainder)
            bound = modulus * (1 + reduction.corrections - n) - 1
            remainder = register(bound.bit_length(), reduced, f"corrected_{n}")

        m.d.comb += [
            self.o.payload.eq(remainder),
            self.o.valid.eq(delayed(m, self.i.valid, self.latency, name="in_flight")),
        ]
        return m
