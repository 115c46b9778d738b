# SPDX-License-Identifier: Apache-2.0
"""Modular multiplication, see golden/modular.py for the constants and why they are right. A bar is a register::

    exact    a, b -> (*) -> |x| -> (*) -> |q = x*mu >> shift| -> (*) -> |r = x - q*m| -> o
    classic  a, b -> (*) -> |x| -> (*) -> |q = x*mu >> shift| -> (*) -> |q*m| -> |r = x - q*m| -> |r >= m: r - m|... -> o
    fold     a, b -> (*) -> |x| -> |x| -> folds of hdl/folding.py -> o

``(*)`` is a registered multiplier of hdl/multiply.py, three cycles. The third one of ``exact`` needs no subtraction: with k
bits in a residue and c = 2**k - m, bits k to 2k - 1 of (x_low * 2**k + q) * (c * 2**k + 1) are x_low + c*q modulo 2**k, which
is x - q*m modulo 2**k, and so the residue itself; q < 2**k adds no carry from below.
"""

from functools import cached_property

from amaranth import *
from amaranth.lib import data

from golden.modular import Barrett, ModMulParams
from hdl.folding import fold, product
from hdl.lut_pipeline import Bit, LutPipeline, Row
from hdl.multiply import MULTIPLY_CYCLES, Multiplier
from hdl.stream import FreeRunning, delayed

__all__ = ["ModMul"]


class ModMul(FreeRunning):
    """``o = a * b mod m``, initiation interval 1.

    Inputs must be residues, at most m - 1; for others the output is not defined. A power of two needs the product alone.

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

    @cached_property
    def latency(self) -> int:
        """Cycles from an operand pair to its product: 12 for ``exact``, 13 and one per correction for ``classic``, and for
        ``fold`` as many as its graph has levels."""
        if self._is_folded:
            return self._folded(LutPipeline(None), self._product_bits(None))[1]
        corrections = self.params.reduction.corrections
        return 3 * (MULTIPLY_CYCLES + 1) + (1 + corrections if self.params.method == "classic" else 0)

    @property
    def _is_folded(self) -> bool:
        return self.params.method == "fold" or self.params.is_power_of_two

    def elaborate(self, platform):
        m = Module()
        if self._is_folded:
            value, _ = self._folded(LutPipeline(m), self._product_bits(m))
        else:
            value = self._barrett(m)
        m.d.comb += [
            self.o.payload.eq(value),
            self.o.valid.eq(delayed(m, self.i.valid, self.latency, name="in_flight")),
        ]
        return m

    def _barrett(self, m: Module) -> Value:
        k, reduction = self.params.residue_bits, self.params.reduction
        x = self._multiply(m, "x", self.i.payload.a, self.i.payload.b)[: reduction.x_bits]
        x = _register(m, "x", x)
        scaled = self._multiply(m, "quotient", x, C(reduction.mu, reduction.mu_bits))
        quotient = _register(m, "quotient", scaled[reduction.shift :][: reduction.quotient_bits])
        if self.params.method == "classic":
            return self._corrected(m, reduction, x, quotient)
        x_low = _delay(m, x[:k], MULTIPLY_CYCLES + 1, "x_low")
        factor = C(((1 << k) - self.params.modulus << k) + 1)
        remainder = self._multiply(m, "remainder", Cat(quotient, C(0, k - len(quotient)), x_low), factor)
        return _register(m, "remainder", remainder[k : 2 * k])

    def _corrected(self, m: Module, reduction: Barrett, x: Value, quotient: Value) -> Value:
        modulus, width = self.params.modulus, reduction.remainder_bits
        x_low = _delay(m, x[: min(width, reduction.x_bits)], 2 * (MULTIPLY_CYCLES + 1), "x_low")
        # 0 <= x - q*m < 2**width, so that many bits of either suffice.
        part = _register(m, "part", self._multiply(m, "part", quotient, C(modulus))[:width])
        remainder = _register(m, "remainder", (x_low - part)[:width])
        # Each correction takes m off the bound on the remainder.
        for n in range(1, reduction.corrections + 1):
            bound = modulus * (1 + reduction.corrections - n) - 1
            reduced = Mux(remainder >= modulus, remainder - modulus, remainder)[: bound.bit_length()]
            remainder = _register(m, f"corrected_{n}", reduced)
        return remainder

    def _product_bits(self, m: Module | None) -> list[Bit] | None:
        """The product of a multiplier; None if tables make it."""
        if self.params.no_dsp:
            return None
        width = self.params.residue_bits if self.params.is_power_of_two else self.params.reduction.x_bits
        x = Signal(width)
        if m is not None:
            x = self._multiply(m, "x", self.i.payload.a, self.i.payload.b)[:width]
            for name in ("x_0", "x"):  # two registers, because DSP blocks lie apart from the tables
                x = _register(m, name, x)
        return [Bit(x[n], MULTIPLY_CYCLES + 2) for n in range(width)]

    def _folded(self, pipeline: LutPipeline, x: Row | None) -> tuple[Value, int]:
        """The residue, and the cycles from operands to it."""
        k, reduction = self.params.residue_bits, self.params.reduction
        if x is None:
            operands = ([Bit(operand[n], 0) for n in range(k)] for operand in (self.i.payload.a, self.i.payload.b))
            x = product(pipeline, *operands)
        if self.params.is_power_of_two:
            return pipeline.word(x[:k])
        return pipeline.word(fold(pipeline, reduction, x[: reduction.x_bits]))

    def _multiply(self, m, name, a, b):
        multiplier = Multiplier(len(a), len(b)).instance()
        m.submodules[f"multiply_{name}"] = multiplier
        m.d.comb += [multiplier.a.eq(a), multiplier.b.eq(b)]
        return multiplier.p


def _register(m: Module, name: str, value: Value) -> Signal:
    signal = Signal(len(value), reset_less=True, name=name)
    m.d.sync += signal.eq(value)
    return signal


def _delay(m: Module, value: Value, cycles: int, name: str) -> Value:
    for n in range(cycles):
        value = _register(m, f"{name}_{n}", value)
    return value
