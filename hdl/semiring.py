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

from golden.semiring import PlusTimes, Semiring, Tropical

__all__ = ["SemiringCircuit", "circuit"]


class SemiringCircuit(ABC):
    """An algebra on codes.

    Members
    -------
    operand, total : Shape
        Codes of an operand, and of a product or sum.
    zero : int
        The semiring's zero as an operand's code.
    encode_cycles, multiply_cycles, decode_cycles : int
        Register stages of the methods below.
    """

    operand: Shape
    total: Shape
    zero: int
    encode_cycles = 0
    multiply_cycles: int
    decode_cycles = 0

    def encode(self, m: Module, value: Value) -> Value:
        """The code of an operand."""
        return value

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

    def multiply(self, m, a, b):
        product = _register(m, signed(len(a) + len(b)), a * b, "product")
        return _register(m, self.total, product, "term")

    def accumulate(self, x, y):
        return (x + y)[: len(x)].as_signed()  # never overflows: the width is that of the largest sum


class _Tropical(SemiringCircuit):
    """Min-plus and max-plus."""

    encode_cycles = 1
    multiply_cycles = 1
    decode_cycles = 2

    def __init__(self, algebra, width):
        self.width = width
        self.mirrored = algebra.name == "max-plus"
        self.infinity = algebra.zero(width)
        self.operand, self.total = unsigned(width + 1), unsigned(width + 2)
        self.zero = (1 << width + 1) - 1

    def encode(self, m, value):
        bits = value.as_unsigned()
        offset = Cat(~bits[:-1], bits[-1]) if self.mirrored else Cat(bits[:-1], ~bits[-1])
        is_zero = value == C(self.infinity, signed(self.width))
        return _register(m, self.operand, Mux(is_zero, self.zero, offset), "code")

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
