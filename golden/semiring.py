# SPDX-License-Identifier: Apache-2.0
"""Semirings on two's complement integers: the algebras a matrix product can be built on.

A semiring has an addition with neutral element zero, and a multiplication with neutral element one for which zero is
absorbing. In the tropical ones addition selects, multiplication adds, and zero is the infinity that is never selected:

============  =======  ===  =========================  ===
name          add      mul  zero                       one
============  =======  ===  =========================  ===
min-plus      minimum  \\+   +inf, the largest code     0
max-plus      maximum  \\+   -inf, the smallest code    0
plus-times    \\+       \\*   0                          1
============  =======  ===  =========================  ===

A tropical product of finite values saturates to the nearest finite value, never to infinity; so associativity holds only
where nothing saturates. Plus-times never overflows: its results are as wide as the declared depth needs.

References
----------
I. Simon, "On semigroups of matrices over the tropical semiring", RAIRO 28 (1994), for the algebra; saturation and sentinel
are ours and stated above.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

__all__ = ["SEMIRINGS", "PlusTimes", "Semiring", "Tropical"]


@dataclass(frozen=True)
class Semiring(ABC):
    """An algebra on ``width``-bit two's complement operands.

    Parameters
    ----------
    name : str
        As on the command line.
    add : numpy.ufunc
        The semiring's addition, elementwise.
    """

    name: str
    add: np.ufunc

    @abstractmethod
    def zero(self, width: int) -> int:
        """Neutral for `add`, absorbing for `mul`."""

    @property
    @abstractmethod
    def one(self) -> int:
        """Neutral for `mul`."""

    @abstractmethod
    def result_width(self, width: int, depth: int) -> int:
        """Bits of a sum of up to ``depth`` products of ``width``-bit operands."""

    @abstractmethod
    def mul(self, a: np.ndarray, b: np.ndarray, width: int) -> np.ndarray:
        """The semiring's multiplication, elementwise on int64 arrays that broadcast."""


class Tropical(Semiring):
    """Min-plus or max-plus, with an infinity as sentinel and finite sums that saturate."""

    def zero(self, width):
        return (1 << width - 1) - 1 if self.add is np.minimum else -(1 << width - 1)

    @property
    def one(self):
        return 0

    def finite(self, width: int) -> tuple[int, int]:
        """Smallest and largest finite value."""
        low, high = -(1 << width - 1), (1 << width - 1) - 1
        return (low, high - 1) if self.add is np.minimum else (low + 1, high)

    def result_width(self, width, depth):
        return width

    def mul(self, a, b, width):
        zero = self.zero(width)
        total = np.clip(np.add(a, b, dtype=np.int64), *self.finite(width))
        return np.where((a == zero) | (b == zero), zero, total)


class PlusTimes(Semiring):
    """Ordinary integers."""

    def zero(self, width):
        return 0

    @property
    def one(self):
        return 1

    def result_width(self, width, depth):
        # The largest sum is depth times (-2**(width-1))**2, and it is positive.
        return (depth << 2 * (width - 1)).bit_length() + 1

    def mul(self, a, b, width):
        return np.multiply(a, b, dtype=np.int64)


SEMIRINGS = {
    semiring.name: semiring
    for semiring in (Tropical("min-plus", np.minimum), Tropical("max-plus", np.maximum), PlusTimes("plus-times", np.add))
}
