# SPDX-License-Identifier: Apache-2.0
"""Semirings as circuits: the multiplication in two registered stages, the addition without a register.

The behaviour is that of `golden.semiring`, whose objects say which algebra is meant.
"""

from amaranth import *

from golden.semiring import PlusTimes, Semiring, Tropical

__all__ = ["accumulate", "multiply"]


def multiply(m: Module, algebra: Semiring, a: Value, b: Value, shape: Shape) -> Value:
    """The product of two registered operands, two cycles later.

    Parameters
    ----------
    m : Module
        Takes the stages.
    a, b : Value
        Operands of one signed shape.
    shape : Shape
        Signed shape of the result.
    """
    if isinstance(algebra, PlusTimes):
        product = Signal(signed(len(a) + len(b)), reset_less=True)
        term = Signal(shape, reset_less=True)
        m.d.sync += [product.eq(a * b), term.eq(product)]
        return term
    if isinstance(algebra, Tropical):
        return _tropical_multiply(m, algebra, a, b)
    raise NotImplementedError(f"no circuit for the semiring {algebra.name!r}")


def _tropical_multiply(m, algebra, a, b):
    width = len(a)
    zero = C(algebra.zero(width), signed(width))
    low, high = algebra.finite(width)

    # Stage 1: the exact sum needs one bit more. Infinity absorbs, from either side.
    total = Signal(signed(width + 1), reset_less=True)
    infinite = Signal(reset_less=True)
    m.d.sync += [total.eq(a + b), infinite.eq((a == zero) | (b == zero))]

    # Stage 2: finite sums saturate at the finite range, which is one code smaller than the operands'.
    term = Signal(signed(width), reset_less=True)
    with m.If(infinite):
        m.d.sync += term.eq(zero)
    with m.Elif(total > high):
        m.d.sync += term.eq(high)
    with m.Elif(total < low):
        m.d.sync += term.eq(low)
    with m.Else():
        m.d.sync += term.eq(total)
    return term


def accumulate(algebra: Semiring, x: Value, y: Value) -> Value:
    """The semiring's sum of two values of one signed shape."""
    match algebra.name:
        case "min-plus":
            return Mux(y < x, y, x)
        case "max-plus":
            return Mux(y > x, y, x)
        case "plus-times":
            return (x + y)[: len(x)].as_signed()  # never overflows: the width is that of the largest sum
        case name:
            raise NotImplementedError(f"no circuit for the semiring {name!r}")
