# SPDX-License-Identifier: Apache-2.0
"""Matrix products over a semiring, as an output-stationary array computes them.

A tile is a product of A (rows x depth) and B (depth x cols): C[r, c] = add over k of mul(A[r, k], B[k, c]). It enters as
``depth`` transfers, the k-th holding column k of A and row k of B, the last one marked; it leaves as ``rows`` transfers,
row 0 of C first, the last one marked.
"""

from dataclasses import dataclass

import numpy as np

from golden.parameters import Parameters, choice, integer
from golden.semiring import SEMIRINGS, Semiring

__all__ = ["SystolicParams", "semiring_product", "semiring_product_fast", "systolic_model", "tile_ends"]

_BLOCK_ELEMENTS = 1 << 22  # products held at once by the model, 32 MiB


@dataclass(frozen=True, kw_only=True)
class SystolicParams(Parameters):
    """An output-stationary systolic array of ``rows`` x ``cols`` processing elements."""

    rows: int = integer(4, 1, 256, "Height of the array", unit="processing elements")
    cols: int = integer(4, 1, 256, "Width of the array", unit="processing elements")
    semiring: str = choice("min-plus", tuple(SEMIRINGS), "Algebra of the product")
    width: int = integer(16, 2, 32, "Operand size, two's complement", unit="bits")
    depth: int = integer(256, 1, 65536, "Largest number of products summed in a tile", unit="products")
    pe: str = choice(
        "lookahead", ("lookahead", "compact"), "Processing element of min-plus and max-plus, for speed on a device or for area"
    )

    def __post_init__(self):
        super().__post_init__()
        if self.result_width > 64:
            largest = max(d for d in (1 << n for n in range(17)) if self.algebra.result_width(self.width, d) <= 64)
            raise ValueError(
                f"depth {self.depth} with width {self.width} needs results of {self.result_width} bits, and 64 is the most; "
                f"with this width depth may be up to {2 * largest - 1}"
            )

    @property
    def algebra(self) -> Semiring:
        """The semiring itself."""
        return SEMIRINGS[self.semiring]

    @property
    def result_width(self) -> int:
        """Bits of a result."""
        return self.algebra.result_width(self.width, self.depth)

    @property
    def zero(self) -> int:
        """The semiring's zero as an operand: what pads a tile."""
        return self.algebra.zero(self.width)


def semiring_product(a: list, b: list, semiring: str, width: int) -> list:
    """The specification, on nested lists of Python integers: three plain loops.

    Parameters
    ----------
    a, b : list of lists of int
        Of shape (R, K) and (K, C), K at least 1, values of ``width``-bit two's complement.

    Returns
    -------
    list of lists of int, of shape (R, C)
    """
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    infinity = {"min-plus": high, "max-plus": low, "plus-times": None}[semiring]

    def mul(x, y):
        if semiring == "plus-times":
            return x * y
        if infinity in (x, y):
            return infinity
        if semiring == "min-plus":
            return min(max(x + y, low), high - 1)
        return min(max(x + y, low + 1), high)

    add = {"min-plus": min, "max-plus": max, "plus-times": lambda *terms: sum(terms)}[semiring]
    result = []
    for row in a:
        result.append([])
        for c in range(len(b[0])):
            total = mul(row[0], b[0][c])
            for k in range(1, len(b)):
                total = add(total, mul(row[k], b[k][c]))
            result[-1].append(total)
    return result


def semiring_product_fast(params: SystolicParams, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of matrices of any size, on arrays; ``rows``, ``cols`` and ``depth`` of the parameters do not matter.

    Parameters
    ----------
    a, b : integer arrays of shape (R, K) and (K, C), K at least 1

    Returns
    -------
    int64 array of shape (R, C)
    """
    algebra = params.algebra
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    total = algebra.mul(a[:, 0, None], b[None, 0, :], params.width)
    for k in range(1, a.shape[1]):
        total = algebra.add(total, algebra.mul(a[:, k, None], b[None, k, :], params.width))
    return total


def tile_ends(last: np.ndarray) -> np.ndarray:
    """Index one past each transfer that is marked last."""
    return np.flatnonzero(last) + 1


def systolic_model(params: SystolicParams, i: np.ndarray) -> np.ndarray:
    """What leaves on stream ``o`` for what enters on stream ``i``; a tile without its end leaves nothing.

    Parameters
    ----------
    i : structured array of shape ``(n,)`` with the fields ``a`` of shape ``(rows,)``, ``b`` of ``(cols,)``, and ``last``

    Returns
    -------
    structured array of shape ``(rows * tiles,)`` with the fields ``c`` of shape ``(cols,)``, int64, and ``last``

    Raises
    ------
    ValueError
        If a tile is deeper than ``params.depth``.
    """
    rows, cols, algebra = params.rows, params.cols, params.algebra
    ends = tile_ends(i["last"])
    starts = np.concatenate([[0], ends[:-1]]) if ends.size else ends
    depths = ends - starts
    if (depths > params.depth).any():
        raise ValueError(f"a tile of {depths.max()} transfers is deeper than the declared depth {params.depth}")
    o = np.zeros((ends.size, rows), np.dtype([("c", np.int64, (cols,)), ("last", np.bool_)]))
    o["last"][:, -1] = True
    budget = _BLOCK_ELEMENTS // (rows * cols)
    first = 0
    while first < ends.size:  # as many whole tiles at a time as the budget of products allows
        stop = max(int(np.searchsorted(ends, starts[first] + budget, side="right")), first + 1)
        span = slice(starts[first], ends[stop - 1])
        a, b = (i[name][span].astype(np.int64) for name in ("a", "b"))
        if stop == first + 1:
            o["c"][first] = semiring_product_fast(params, a.T, b)
        else:
            products = algebra.mul(a[:, :, None], b[:, None, :], params.width)
            o["c"][first:stop] = algebra.add.reduceat(products, starts[first:stop] - starts[first], axis=0)
        first = stop
    return o.reshape(-1)
