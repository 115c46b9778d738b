# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with a register behind every small function, so that a look-up table and a wire are all that lies between two.

A `Bit` knows in which cycle it is there. `LutPipeline.node` makes a bit from at most four others, one cycle after the last of
them; those that are early wait in delay lines, which all readers share. So latency follows from what is built. Adders are
prefix networks over groups of two bits::

    level 1       generate, propagate and half sums of each group of two bits
    levels 2...   carries into the groups, by a network of logarithmic depth
    last level    sums, each of one half sum or two, a generate and the carry into its group

References
----------
P. M. Kogge, H. S. Stone, "A parallel algorithm for the efficient solution of a general class of recurrence equations", 1973.
J. Sklansky, "Conditional-sum addition logic", 1960. L. Dadda, "Some schemes for parallel multipliers", 1965.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from amaranth import *

__all__ = ["Bit", "LutPipeline", "Row", "Wire"]

_LUT_INPUTS = 4


@dataclass(frozen=True, eq=False)
class Bit:
    """One bit that is valid ``time`` cycles after the operands entered."""

    value: Value
    time: int


Wire = Bit | int
"""A bit, or the constant 0 or 1."""
Row = Sequence[Wire]
"""A number, lowest bit first."""


class LutPipeline:
    """Builds functions of bits into a module, each behind a register that is not reset.

    Parameters
    ----------
    m : Module or None
        None to learn when results are there, without building anything.
    """

    def __init__(self, m: Module | None):
        self._m = m
        self._lines: dict[Bit, list[Value]] = {}
        self._names = itertools.count()

    def _register(self, value, prefix: str) -> Signal:
        signal = Signal(reset_less=True, name=f"{prefix}_{next(self._names)}")
        if self._m is not None:
            self._m.d.sync += signal.eq(value)
        return signal

    def at(self, wire: Wire, time: int) -> Value:
        """The bit's value, delayed until ``time``, which must not be before it is there."""
        if isinstance(wire, int):
            return C(wire, 1)
        line = self._lines.setdefault(wire, [wire.value])
        while len(line) <= time - wire.time:
            line.append(self._register(line[-1], "wait"))
        return line[time - wire.time]

    def node(self, function: Callable[..., int | Value], *wires: Wire) -> Wire:
        """A function of at most four bits, written with ``& | ^ ~``; what does not depend on bits costs nothing."""
        bits = list(dict.fromkeys(wire for wire in wires if isinstance(wire, Bit)))

        def on(values: tuple[int, ...]) -> int:
            known = dict(zip(bits, values, strict=True))
            return function(*(known[wire] if isinstance(wire, Bit) else wire for wire in wires)) & 1

        cases = list(itertools.product((0, 1), repeat=len(bits)))
        table = [on(case) for case in cases]
        if len(set(table)) == 1:
            return table[0]
        for n, bit in enumerate(bits):
            if table == [case[n] for case in cases]:
                return bit
        needed = [
            bit for n, bit in enumerate(bits)
            if any(on(case) != on((*case[:n], 1 - case[n], *case[n + 1 :])) for case in cases)
        ]  # fmt: skip
        if len(needed) > _LUT_INPUTS:
            raise ValueError(f"a look-up table has {_LUT_INPUTS} inputs, and this function needs {len(needed)}")
        time = max(bit.time for bit in needed)
        ready = [self.at(wire, time) if wire in needed else C(0, 1) if isinstance(wire, Bit) else C(wire, 1) for wire in wires]
        return Bit(self._register(function(*ready), "node"), time + 1)

    def table(self, outputs: Sequence[int], bits: Row, width: int) -> list[Wire]:
        """Numbers of ``width`` bits, ``outputs[n]`` where the bits, at most four, make up n."""

        def function(n: int):
            ones = [index for index, output in enumerate(outputs) if output >> n & 1]

            def chosen(*values):
                def product(index):
                    terms = [value if index >> i & 1 else ~value for i, value in enumerate(values)]
                    total = terms[0]
                    for term in terms[1:]:
                        total &= term
                    return total

                result = 0
                for index in ones:
                    result |= product(index)
                return result

            return chosen

        return [self.node(function(n), *bits) for n in range(width)]

    def compress(self, rows: Sequence[Row]) -> tuple[list[Wire], list[Wire]]:
        """Two rows with the sum of all rows, by full adders, level by level; constants must be 0."""
        columns: list[list[Bit]] = [[] for _ in range(max(map(len, rows)))]
        for row in rows:
            for column, wire in zip(columns, row, strict=False):
                if isinstance(wire, Bit):
                    column.append(wire)
        while max(map(len, columns)) > 2:
            after: list[list[Bit]] = [[] for _ in range(len(columns) + 1)]
            for n, column in enumerate(columns):
                column = sorted(column, key=lambda bit: bit.time)
                while len(column) > 2:
                    three, column = column[:3], column[3:]
                    after[n].append(self.node(lambda a, b, c: a ^ b ^ c, *three))
                    after[n + 1].append(self.node(lambda a, b, c: (a & b) | (a & c) | (b & c), *three))
                after[n] += column
            columns = after if after[-1] else after[:-1]
        rows = [[column[n] if len(column) > n else 0 for column in columns] for n in (0, 1)]
        return rows[0], rows[1]

    def add_constant(self, a: Row, b: Row, constant: int) -> tuple[list[Wire], list[Wire]]:
        """Two rows with the sum of two rows and a constant, one level later."""
        width = max(len(a), len(b), constant.bit_length())
        sums, carries = [], [0]
        for n in range(width):
            x, y = (row[n] if n < len(row) else 0 for row in (a, b))
            k = constant >> n & 1
            sums.append(self.node(lambda x, y, k=k: x ^ y ^ k, x, y))
            carries.append(self.node(lambda x, y, k=k: (x | y) if k else (x & y), x, y))
        return sums, carries

    def add(self, a: Row, b: Row, carry_in: int = 0) -> list[Wire]:
        """The sum of two rows and a constant carry, one bit wider than the wider row."""
        width = max(len(a), len(b))
        width += width % 2
        pairs = [tuple(row[n] if n < len(row) else 0 for row in (a, b)) for n in range(width)]
        groups = []
        for n in range(0, width, 2):
            (a0, b0), (a1, b1) = pairs[n], pairs[n + 1]
            k = carry_in if n == 0 else 0
            low_carry = self.node(lambda x, y, k=k: (x | y) if k else (x & y), a0, b0)
            generate = self.node(
                lambda x, y, u, v, k=k: (u & v) | ((u | v) & ((x | y) if k else (x & y))), a0, b0, a1, b1
            )  # fmt: skip
            propagate = self.node(lambda x, y, u, v: (u | v) & (x | y), a0, b0, a1, b1)
            half_sums = self.node(lambda x, y, k=k: x ^ y ^ k, a0, b0), self.node(lambda x, y: x ^ y, a1, b1)
            groups.append((generate, propagate, low_carry, half_sums))

        known: dict[tuple[int, int], tuple[Wire, Wire]] = {
            (n, n): (generate, propagate) for n, (generate, propagate, *_) in enumerate(groups)
        }

        def span(low: int, high: int) -> tuple[Wire, Wire]:
            """Generate and propagate of groups ``low`` to ``high``."""
            if (low, high) not in known:
                middle = low + (1 << (high - low).bit_length() - 1)
                (upper_g, upper_p), (lower_g, lower_p) = span(middle, high), span(low, middle - 1)
                known[low, high] = (
                    self.node(lambda g, p, below: g | (p & below), upper_g, upper_p, lower_g),
                    0 if low == 0 else self.node(lambda p, below: p & below, upper_p, lower_p),
                )
            return known[low, high]

        result: list[Wire] = []
        for n, (_, _, low_carry, (low, high)) in enumerate(groups):
            carry = span(0, n - 1)[0] if n else 0
            result.append(self.node(lambda s, c: s ^ c, low, carry))
            # In the lowest group the carry that comes in is a constant and is in low_carry already.
            if n == 0:
                result.append(self.node(lambda h, g: h ^ g, high, low_carry))
            else:
                result.append(self.node(lambda h, g, s, c: h ^ (g | (s & c)), high, low_carry, low, carry))
        return [*result, span(0, len(groups) - 1)[0]][: max(len(a), len(b)) + 1]

    def choose(self, condition: Wire, yes: Row, no: Row) -> list[Wire]:
        """``yes`` where the condition holds, else ``no``."""
        return [self.node(lambda c, x, y: (c & x) | (~c & y), condition, x, y) for x, y in zip(yes, no, strict=True)]

    def word(self, row: Row) -> tuple[Value, int]:
        """A row as one value, and the cycle in which all of it is there."""
        time = max((wire.time for wire in row if isinstance(wire, Bit)), default=0)
        return Cat(self.at(wire, time) for wire in row), time
