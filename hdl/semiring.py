# SPDX-License-Identifier: Apache-2.0
"""Semirings as circuits, split into what happens at the edge of an array and what happens in each processing element.

Operands are encoded once where they enter, results are decoded once where they leave; in between an element multiplies and
adds codes. For the tropical semirings a code is unsigned, smaller is better, and infinity is simply large::

    min-plus:  code(a) = a + 2**(w-1)          max-plus:  code(a) = 2**(w-1) - 1 - a        code(zero) = 2**(w+1) - 1

Finite codes are at most 2**w - 2, so two of them sum to at most 2**(w+1) - 4, and one or two zeros to 2**(w+1) - 1 at least:
the sum of codes orders infinity behind all that is finite, without a look at the operands. Saturation is left to the
decoder, because clamping is monotonic and so commutes with the minimum. The behaviour is that of `golden.semiring`.
"""

from abc import ABC, abstractmethod

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from golden.semiring import PlusTimes, Semiring, Tropical
from golden.systolic import SystolicParams

__all__ = ["ENCODE_CYCLES", "Decoder", "Encoder", "SemiringCircuit", "circuit"]


ENCODE_CYCLES = 1
"""Cycles that an `Encoder` takes, whatever the semiring."""


class SemiringCircuit(ABC):
    """An algebra on codes.

    Members
    -------
    operand, total : Shape
        Codes of an operand, and of a product or sum.
    multiply_cycles, decode_cycles : int
        Register stages of the methods below.
    """

    operand: Shape
    total: Shape
    multiply_cycles: int
    decode_cycles = 0

    @abstractmethod
    def encode(self, value: Value) -> Value:
        """The code of an operand, without a register."""

    @property
    @abstractmethod
    def zero(self) -> int:
        """The semiring's zero as an operand's code."""

    @abstractmethod
    def multiply(self, m: Module, a: Value, b: Value) -> Value:
        """The product of two registered operands."""

    @abstractmethod
    def accumulate(self, x: Value, y: Value) -> Value:
        """The sum, without a register."""

    def decode(self, m: Module, code: Value) -> Value:
        """The result that a sum's code stands for."""
        return code


def circuit(algebra: Semiring, width: int, result_width: int) -> SemiringCircuit:
    """The circuit of a semiring for operands of ``width`` bits."""
    match algebra:
        case PlusTimes():
            return _PlusTimes(width, result_width)
        case Tropical():
            return _Tropical(algebra, width)
        case _:
            raise NotImplementedError(f"no circuit for the semiring {algebra.name!r}")


class Encoder(wiring.Component):
    """One lane of operands where they enter: the operand's code one cycle later, or the semiring's zero if not ``valid``.

    Members
    -------
    valid : In(1)
    value : In(signed(width))
    code : Out(shape of an operand's code)
    """

    def __init__(self, params: SystolicParams):
        self.semiring = circuit(params.algebra, params.width, params.result_width)
        super().__init__({"valid": In(1), "value": In(signed(params.width)), "code": Out(self.semiring.operand)})

    def elaborate(self, platform):
        m = Module()
        code = _register(
            m, self.semiring.operand, Mux(self.valid, self.semiring.encode(self.value), self.semiring.zero), "register"
        )
        m.d.comb += self.code.eq(code)
        return m


class Decoder(wiring.Component):
    """One lane of sums where they leave: the result, the semiring's ``decode_cycles`` later.

    Members
    -------
    code : In(shape of a sum's code)
    value : Out(signed(result_width))
    """

    def __init__(self, params: SystolicParams):
        self.semiring = circuit(params.algebra, params.width, params.result_width)
        super().__init__({"code": In(self.semiring.total), "value": Out(signed(params.result_width))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.value.eq(self.semiring.decode(m, self.code))
        return m


def _register(m, shape, value, name):
    signal = Signal(shape, reset_less=True, name=name)
    m.d.sync += signal.eq(value)
    return signal


class _PlusTimes(SemiringCircuit):
    """Ordinary integers; two registers behind the multiplier are those of a DSP block."""

    multiply_cycles = 2
    zero = 0

    def __init__(self, width, result_width):
        self.operand, self.total = signed(width), signed(result_width)

    def encode(self, value):
        return value

    def multiply(self, m, a, b):
        product = _register(m, signed(len(a) + len(b)), a * b, "product")
        return _register(m, self.total, product, "term")

    def accumulate(self, x, y):
        return (x + y)[: len(x)].as_signed()  # never overflows: the width is that of the largest sum


class _Tropical(SemiringCircuit):
    """Min-plus and max-plus."""

    multiply_cycles = 1
    decode_cycles = 2

    def __init__(self, algebra, width):
        self.width = width
        self.mirrored = algebra.name == "max-plus"
        self.infinity = algebra.zero(width)
        self.operand, self.total = unsigned(width + 1), unsigned(width + 2)

    @property
    def zero(self):
        return (1 << self.width + 1) - 1

    def encode(self, value):
        bits = value.as_unsigned()
        offset = Cat(~bits[:-1], bits[-1]) if self.mirrored else Cat(bits[:-1], ~bits[-1])
        return Mux(value == C(self.infinity, signed(self.width)), self.zero, offset)

    def multiply(self, m, a, b):
        return _register(m, self.total, a + b, "term")

    def accumulate(self, x, y):
        return Mux(y < x, y, x)

    def decode(self, m, code):
        width = self.width
        # A finite sum a + b has the code a + b + 2**w, or 2**w - 2 - (a + b) in max-plus. Stage 1: where does it lie?
        # Better than the best finite value of w bits, worse than the worst, or infinite.
        best = (1 << width - 1) - (1 if self.mirrored else 0)
        worst = best + (1 << width) - 2
        low = _register(m, unsigned(width), code[:width], "low")
        is_better = _register(m, 1, code < best, "is_better")
        is_worse = _register(m, 1, code > worst, "is_worse")
        is_infinite = _register(m, 1, code >= self.zero, "is_infinite")

        # Stage 2: its low bits are the value, or, mirrored, its complement less one.
        exact = ((1 << width) - 2 - low)[:width] if self.mirrored else low
        low_value, high_value = -(1 << width - 1), (1 << width - 1) - 1
        best_value, worst_value = (high_value, low_value + 1) if self.mirrored else (low_value, high_value - 1)
        result = Signal(signed(width), reset_less=True, name="result")
        with m.If(is_infinite):
            m.d.sync += result.eq(self.infinity)
        with m.Elif(is_worse):
            m.d.sync += result.eq(worst_value)
        with m.Elif(is_better):
            m.d.sync += result.eq(best_value)
        with m.Else():
            m.d.sync += result.eq(exact)
        return result
