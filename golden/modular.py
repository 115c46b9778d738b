# SPDX-License-Identifier: Apache-2.0
"""Modular multiplication, by Barrett reduction or by folding.

Barrett: with x = a*b, a quotient estimate q = (x * mu) >> shift stands in for the division, and r = x - q*m is corrected by
subtracting m as often as the estimate can be short. Folding: the bits of x from 2**k on, k bits of a residue, are replaced
by what they are modulo m, four at a time by a table, until the sum is below 2*m; then m is subtracted at most once. All
constants are properties of (method, m, range of x); they are derived here, and checked for every x of the range when the
parameters are constructed.

References
----------
P. Barrett, "Implementing the Rivest Shamir and Adleman public key encryption algorithm on a standard digital signal
processor", CRYPTO 1986. T. Granlund, P. Montgomery, "Division by invariant integers using multiplication", PLDI 1994,
theorem 4.2, for the rounded-up reciprocal.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from golden.parameters import Parameters, choice, flag, integer

__all__ = ["Barrett", "Fold", "Folding", "ModMulParams", "modmul", "modmul_fast", "modmul_model"]


def modmul(a: int, b: int, modulus: int) -> int:
    """The specification: ``a * b mod modulus``."""
    return a * b % modulus


@dataclass(frozen=True)
class Barrett:
    """Constants that reduce every x in ``[0, x_max]`` modulo ``modulus``.

    Parameters
    ----------
    modulus : int
        The modulus m, at least 2.
    x_max : int
        Largest x to be reduced.
    mu : int
        The scaled reciprocal of m.
    shift : int
        Bits dropped after the product with mu.
    corrections : int
        Conditional subtractions of m that follow: the quotient estimate is floor(x/m) - corrections at the least.
    """

    modulus: int
    x_max: int
    mu: int
    shift: int
    corrections: int

    @classmethod
    def exact(cls, modulus: int, x_max: int) -> "Barrett":
        """The smallest shift for which the reciprocal rounded up gives floor(x/m) itself: no correction.

        With e = mu*m - 2**shift, the estimate is exact for all x <= x_max if and only if t*e < 2**shift, t being the largest
        x <= x_max that is -1 modulo m: there the true quotient is nearest to the next integer. Needs x_max >= m - 1.
        """
        worst = x_max - (x_max + 1) % modulus
        shift = 0
        while worst * (-(1 << shift) % modulus) >= 1 << shift:
            shift += 1
        return cls(modulus, x_max, -(-(1 << shift) // modulus), shift, 0)

    @classmethod
    def classic(cls, modulus: int, x_max: int) -> "Barrett":
        """Barrett's own form: mu = floor(2**shift / m) with 2**shift above every x; q is never above floor(x/m)."""
        shift = 2 * (modulus - 1).bit_length()
        mu = (1 << shift) // modulus
        shortfall = cls(modulus, x_max, mu, shift, 0).shortfall()
        return cls(modulus, x_max, mu, shift, int(shortfall.max()))

    def shortfall(self) -> np.ndarray:
        """floor(x/m) - q for every x from 0 to x_max, int64 of shape ``(x_max + 1,)``."""
        x = np.arange(self.x_max + 1, dtype=np.int64)
        return x // self.modulus - (x * self.mu >> self.shift)

    def check(self) -> None:
        """Try every x of the range.

        Raises
        ------
        ValueError
            If some estimate is too large, or short by more than ``corrections``.
        """
        shortfall = self.shortfall()
        wrong = np.flatnonzero((shortfall < 0) | (shortfall > self.corrections))
        if wrong.size:
            raise ValueError(
                f"mu = {self.mu}, shift = {self.shift} with {self.corrections} corrections do not reduce {wrong[0]} modulo "
                f"{self.modulus}: the quotient estimate is off by {shortfall[wrong[0]]}"
            )

    @property
    def x_bits(self) -> int:
        """Width of x."""
        return max(self.x_max.bit_length(), 1)

    @property
    def mu_bits(self) -> int:
        """Width of mu."""
        return self.mu.bit_length()

    @property
    def quotient_bits(self) -> int:
        """Width of the quotient estimate, which never exceeds floor(x_max/m)."""
        return max((self.x_max // self.modulus).bit_length(), 1)

    @property
    def remainder_bits(self) -> int:
        """Width of x - q*m before correction: at most m - 1 + corrections*m."""
        return (self.modulus * (1 + self.corrections) - 1).bit_length()

    def reduce(self, x: np.ndarray) -> np.ndarray:
        """x modulo m, by the steps that the hardware takes; x in ``[0, x_max]``, int64."""
        r = x - (x * self.mu >> self.shift) * self.modulus
        for _ in range(self.corrections):
            r = np.where(r >= self.modulus, r - self.modulus, r)
        return r


@dataclass(frozen=True)
class Fold:
    """One fold: the lowest ``low_bits`` bits, plus a number from each table, found by the four bits that are next.

    Parameters
    ----------
    low_bits : int
    tables : tuple of tuple of int
        The n-th has what bits ``low_bits + 4*n`` and up are modulo m, for every value of those bits.
    bound : int
        The largest sum that any x leaves.
    """

    low_bits: int
    tables: tuple[tuple[int, ...], ...]
    bound: int


@dataclass(frozen=True)
class Folding:
    """Reduces every x in ``[0, x_max]`` modulo ``modulus`` by folds and one conditional subtraction.

    Parameters
    ----------
    modulus : int
        The modulus m, at least 2.
    x_max : int
        Largest x to be reduced.
    folds : tuple of Fold
        After the last the sum is below 2*m.
    """

    modulus: int
    x_max: int
    folds: tuple[Fold, ...]

    @classmethod
    def derive(cls, modulus: int, x_max: int) -> "Folding":
        """The folds that are needed, their bounds found by trying every x; each makes the bound smaller.

        A sum of 2**k or more, k the bits of a residue, has a bit that a fold replaces by less than it stood for, because a
        residue is less than 2**k; a sum below 2**k is below 2*m.
        """
        k = (modulus - 1).bit_length()
        value, folds = np.arange(x_max + 1, dtype=np.int64), []
        while (bound := int(value.max())) >= 2 * modulus:
            high = bound.bit_length() - k
            tables = tuple(
                tuple((v << k + n) % modulus for v in range(1 << min(4, high - n))) for n in range(0, high, 4)
            )  # fmt: skip
            value = _folded(value, Fold(k, tables, 0))
            folds.append(Fold(k, tables, int(value.max())))
        return cls(modulus, x_max, tuple(folds))

    @property
    def x_bits(self) -> int:
        """Width of x."""
        return max(self.x_max.bit_length(), 1)

    def reduce(self, x: np.ndarray) -> np.ndarray:
        """x modulo m, by the steps that the hardware takes; x in ``[0, x_max]``, int64."""
        for fold in self.folds:
            x = _folded(x, fold)
        return np.where(x >= self.modulus, x - self.modulus, x)

    def check(self) -> None:
        """Try every x of the range.

        Raises
        ------
        ValueError
            If some x is not reduced to its residue.
        """
        x = np.arange(self.x_max + 1, dtype=np.int64)
        wrong = np.flatnonzero(self.reduce(x) != x % self.modulus)
        if wrong.size:
            raise ValueError(f"the folds do not reduce {wrong[0]} modulo {self.modulus}")


def _folded(x: np.ndarray, fold: Fold) -> np.ndarray:
    total = x & (1 << fold.low_bits) - 1
    for n, table in enumerate(fold.tables):
        total = total + np.array(table, np.int64)[x >> fold.low_bits + 4 * n & len(table) - 1]
    return total


@dataclass(frozen=True, kw_only=True)
class ModMulParams(Parameters):
    """A modular multiplier of two residues in ``[0, modulus - 1]``."""

    modulus: int = integer(251, 2, 256, "Modulus m")
    method: str = choice(
        "exact",
        ("exact", "classic", "fold"),
        "Reduction: Barrett's with the reciprocal rounded up or down, or folding by tables",
    )
    no_dsp: bool = flag(False, "Multiply with look-up tables as well, a register behind each: with method fold")

    def __post_init__(self):
        super().__post_init__()
        if self.no_dsp and self.method != "fold":
            raise ValueError(f"no_dsp goes with method fold, because method {self.method} multiplies three times: use fold")
        self.reduction.check()

    @property
    def residue_bits(self) -> int:
        """Width of a residue."""
        return (self.modulus - 1).bit_length()

    @property
    def is_power_of_two(self) -> bool:
        """Whether the residue is simply the product's low bits."""
        return self.modulus & self.modulus - 1 == 0

    @cached_property
    def reduction(self) -> Barrett | Folding:
        """The reduction of a product of two residues."""
        derive = {"exact": Barrett.exact, "classic": Barrett.classic, "fold": Folding.derive}[self.method]
        return derive(self.modulus, (self.modulus - 1) ** 2)


def modmul_fast(params: ModMulParams, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Bit-exact model on arrays, by the steps the hardware takes.

    Parameters
    ----------
    a, b : integer arrays of one shape, values in ``[0, modulus - 1]``

    Returns
    -------
    int64 array of that shape, values in ``[0, modulus - 1]``
    """
    return params.reduction.reduce(np.asarray(a, np.int64) * np.asarray(b, np.int64))


def modmul_model(params: ModMulParams, i: np.ndarray) -> np.ndarray:
    """What leaves on stream ``o`` for what enters on stream ``i``.

    Parameters
    ----------
    i : structured array of shape ``(n,)`` with the fields ``a`` and ``b``

    Returns
    -------
    int64 array of shape ``(n,)``
    """
    return modmul_fast(params, i["a"], i["b"])
