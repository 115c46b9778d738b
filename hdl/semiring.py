# SPDX-License-Identifier: Apache-2.0
"""Semirings as circuits, split into what happens at the edge of an array and what happens in each processing element.

Operands are encoded once where they enter, results are decoded once where they leave; in between an element multiplies and
adds codes. For the tropical semirings a code is a flag that says finite above ``width`` bits, larger is better, and a product
or sum that is infinite is 0::

    min-plus:  code(a) = 2**(w-1) - 1 - a        max-plus:  code(a) = a + 2**(w-1)

Finite codes are 1 to 2**w - 1, so two of them sum to 2 at least and to less than 2**(w+1): multiplication is an adder whose
register is reset by a missing flag, and addition a maximum. Saturation is left to the decoder, because clamping is monotonic
and so commutes with the maximum. The behaviour is that of `golden.semiring`.
"""

from abc import ABC, abstractmethod

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from golden.semiring import PlusTimes, Tropical
from golden.systolic import SystolicParams
from hdl.multiply import MULTIPLY_CYCLES, Multiplier

__all__ = ["ENCODE_CYCLES", "Decoder", "Encoder", "SemiringCircuit", "circuit"]


ENCODE_CYCLES = 1
"""Cycles that an `Encoder` takes, whatever the semiring."""


class SemiringCircuit(ABC):
    """An algebra on codes.

    Members
    -------
    operand, total : Shape
        Codes of an operand, and of a product or sum.
    sum_cycles, decode_cycles : int
        Register stages of the methods below.
    """

    operand: Shape
    total: Shape
    sum_cycles: int
    decode_cycles = 0

    @abstractmethod
    def encode(self, value: Value, valid: Value) -> Value:
        """The code of an operand, or of the semiring's zero if not ``valid``, without a register."""

    @abstractmethod
    def sum(self, m: Module, a: Value, b: Value, first: Value) -> Value:
        """The running sum of the products of two registered operands, ``sum_cycles`` after them.

        With ``first``, in the cycle before the sum takes in a product, the sum begins with that product.
        """

    def decode(self, m: Module, code: Value) -> Value:
        """The result that a sum's code stands for."""
        return code


def circuit(params: SystolicParams) -> SemiringCircuit:
    """The circuit of an array's semiring, for its width of operands and its kind of processing element."""
    match params.algebra:
        case PlusTimes():
            return _PlusTimes(params.width, params.result_width)
        case Tropical():
            return {"compact": _Compact, "lookahead": _Lookahead}[params.pe](params.algebra, params.width)
        case _:
            raise NotImplementedError(f"no circuit for the semiring {params.semiring!r}")


class Encoder(wiring.Component):
    """One lane of operands where they enter: the operand's code one cycle later, or the semiring's zero if not ``valid``.

    Members
    -------
    valid : In(1)
    value : In(signed(width))
    code : Out(shape of an operand's code)
    """

    def __init__(self, params: SystolicParams):
        self.semiring = circuit(params)
        super().__init__({"valid": In(1), "value": In(signed(params.width)), "code": Out(self.semiring.operand)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.code.eq(_register(m, self.semiring.operand, self.semiring.encode(self.value, self.valid), "register"))
        return m


class Decoder(wiring.Component):
    """One lane of sums where they leave: the result, the semiring's ``decode_cycles`` later.

    Members
    -------
    code : In(shape of a sum's code)
    value : Out(signed(result_width))
    """

    def __init__(self, params: SystolicParams):
        self.semiring = circuit(params)
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
    """Ordinary integers, with a register between the multiplier, which may be far away, and the adder."""

    sum_cycles = MULTIPLY_CYCLES + 2

    def __init__(self, width, result_width):
        self.operand, self.total = signed(width), signed(result_width)

    def encode(self, value, valid):
        return Mux(valid, value, 0)

    def sum(self, m, a, b, first):
        m.submodules.multiplier = multiplier = Multiplier(len(a), len(b), signed=True).instance()
        m.d.comb += [multiplier.a.eq(a), multiplier.b.eq(b)]
        term = _register(m, self.total, multiplier.p.as_signed(), "term")
        total = Signal(self.total, reset_less=True, name="total")
        m.d.sync += total.eq(Mux(first, term, total + term))  # never overflows: the width is that of the largest sum
        return total


class _Tropical(SemiringCircuit):
    """Min-plus and max-plus, all but the running sum."""

    decode_cycles = 2

    def __init__(self, algebra, width):
        self.width = width
        self.mirrored = algebra.name == "min-plus"
        self.infinity = algebra.zero(width)
        self.operand, self.total = unsigned(width + 1), unsigned(width + 1)

    def encode(self, value, valid):
        bits = value.as_unsigned()
        is_finite = valid & (value != C(self.infinity, signed(self.width)))
        return Cat(self._offset(bits), is_finite)

    def _offset(self, bits):
        """From two's complement to code and back, both of ``width`` bits."""
        return Cat(~bits[:-1], bits[-1]) if self.mirrored else Cat(bits[:-1], ~bits[-1])

    def _term(self, m, a, b):
        return _register(m, self.total, Mux(a[-1] & b[-1], a[:-1] + b[:-1], 0), "term")

    def decode(self, m, code):
        width = self.width
        # A finite sum a + b has the code a + b + 2**w, or 2**w - 2 - (a + b) in min-plus, so `offset` more than the code of
        # an operand of that value. Stage 1: where does it lie? Codes of finite sums are 2 at least.
        offset = (1 << width - 1) - (1 if self.mirrored else 0)
        exact = _register(m, self.total, code - offset, "exact")
        is_worse = _register(m, 1, _is_less(code, C(offset + 1, width + 1)), "is_worse")
        some = _register(m, unsigned(width // 4 + 1), Cat(code[n : n + 4].any() for n in range(0, width + 1, 4)), "some")

        # Stage 2: finite values have the codes 1 to 2**w - 1, and infinity has 0.
        nearest = Signal(width)
        with m.If(~some.any()):
            m.d.comb += nearest.eq(0)
        with m.Elif(is_worse):
            m.d.comb += nearest.eq(1)
        with m.Else():
            m.d.comb += nearest.eq(exact[:width] | exact[width].replicate(width))
        return _register(m, signed(width), self._offset(nearest), "result")


class _Compact(_Tropical):
    """Compare and choice in one cycle."""

    sum_cycles = 2

    def sum(self, m, a, b, first):
        term = self._term(m, a, b)
        best = Signal(self.total, reset_less=True, name="best")
        with m.If(first | (best < term)):
            m.d.sync += best.eq(term)
        return best


class _Lookahead(_Tropical):
    """Compare in one cycle, choice in the next.

    Each term is to be compared with what the compare before decided. So it is compared with both that could be the best, the
    term before it and the best before that, and the decision itself, which is the loop, is a choice between two bits.
    """

    sum_cycles = 3

    def sum(self, m, a, b, first):
        term = self._term(m, a, b)
        previous = _register(m, self.total, term, "previous")
        best = Signal(self.total, reset_less=True, name="best")

        beats_term = _register(m, 1, _is_less(previous, term), "beats_term")
        beats_best = _register(m, 1, _is_less(best, term), "beats_best")
        took = Signal(reset_less=True)
        take = Signal()
        m.d.comb += take.eq(first | Mux(took, beats_term, beats_best))
        m.d.sync += took.eq(take)
        with m.If(take):
            m.d.sync += best.eq(previous)
        return best


def _is_less(x, y):
    """Of two unsigned values of a width: the sign of their difference, which comes straight out of a carry chain.

    Where synthesis makes a comparison itself, it takes the carry, and behind it a look-up table to invert that.
    """
    return (x - y)[-1]
