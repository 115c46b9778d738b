# SPDX-License-Identifier: Apache-2.0
"""Product and reduction without a multiplier, a look-up table and a register at a time; the steps of `golden.modular.Folding`::

a, b -> |products of 2 x 2 bits| -> |full adders|... -> |prefix adder|... -> x
x -> |tables of high bits| -> |full adders|... -> |prefix adder|... -> once more, until below 2*m
  -> |v and v + 2**k - m by two prefix adders|... -> |the second if it carries, else v| -> o
"""

from golden.modular import Folding
from hdl.lut_pipeline import LutPipeline, Row, Wire

__all__ = ["fold", "product"]

_DIGIT_BITS = 2


def product(pipeline: LutPipeline, a: Row, b: Row) -> list[Wire]:
    """``a * b``, as wide as both together."""
    rows = []
    for i in range(0, len(a), _DIGIT_BITS):
        for j in range(0, len(b), _DIGIT_BITS):
            x, y = a[i : i + _DIGIT_BITS], b[j : j + _DIGIT_BITS]
            outputs = [
                (n & (1 << len(x)) - 1) * (n >> len(x)) for n in range(1 << len(x) + len(y))
            ]  # fmt: skip
            rows.append([0] * (i + j) + pipeline.table(outputs, [*x, *y], len(x) + len(y)))
    return pipeline.add(*pipeline.compress(rows))[: len(a) + len(b)]


def fold(pipeline: LutPipeline, folding: Folding, x: Row) -> list[Wire]:
    """``x`` modulo m, as wide as a residue."""
    modulus = folding.modulus
    k = (modulus - 1).bit_length()
    bound, value = folding.x_max, list(x)
    rows: tuple[Row, Row] = (value, [])
    for step in folding.folds:
        value = _sum(pipeline, rows, bound)
        parts: list[Row] = [value[: step.low_bits]]
        for n, table in enumerate(step.tables):
            first = step.low_bits + 4 * n
            parts.append(pipeline.table(table, value[first : first + 4], k))
        rows, bound = pipeline.compress(parts), step.bound
    if bound < modulus:
        return _sum(pipeline, rows, bound)[:k]
    # v is below 2*m, so v + 2**k - m reaches 2**k just if v >= m, and its low bits are then v - m.
    complement = (1 << k) - modulus
    v = pipeline.add(*rows)[:k]
    reduced = pipeline.add(*rows, carry_in=1) if complement == 1 else pipeline.add(*pipeline.add_constant(*rows, complement))
    return pipeline.choose(_any(pipeline, reduced[k:]), reduced[:k], v)


def _sum(pipeline: LutPipeline, rows: tuple[Row, Row], bound: int) -> list[Wire]:
    width = bound.bit_length()
    total = pipeline.add(*rows) if any(rows[1]) else list(rows[0])
    return (total + [0] * width)[:width]


def _any(pipeline: LutPipeline, bits: Row) -> Wire:
    return pipeline.node(lambda *values: values[0] if len(values) == 1 else values[0] | values[1], *bits[:2])
