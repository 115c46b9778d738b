# SPDX-License-Identifier: Apache-2.0
"""Matrix products over a semiring, on the RTL or on the golden model, for arrays of any shape."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import cosim
from golden.semiring import SEMIRINGS
from golden.systolic import SystolicParams, semiring_product_fast
from toolchain.errors import BadInput
from toolchain.verilator import Tools
from trme.catalog import find
from trme.design import Design

__all__ = ["MatmulStats", "SystolicEngine", "matmul"]

_ENGINES = 8  # kept at once; each holds a simulation


@dataclass(frozen=True)
class MatmulStats:
    """What a product took on the RTL; zeros on the golden model.

    ``utilisation`` is the share of processing-element cycles that summed a product which the caller asked for.
    """

    cycles: int
    tiles: int
    utilisation: float


class SystolicEngine:
    """A systolic array's RTL as a matrix multiplier; a context manager, and safe to use from several threads.

    Parameters
    ----------
    params : SystolicParams
    tools : Tools, optional
    """

    def __init__(self, params: SystolicParams, tools: Tools | None = None):
        self.params = params
        emission = Design(find("systolic"), params).emit()
        self.model = cosim.build(emission.verilog, emission.manifest, tools)
        self.tiles = 0
        self.lock = threading.RLock()

    def __enter__(self) -> "SystolicEngine":
        return self

    def __exit__(self, *exception) -> None:
        self.model.close()

    @property
    def cycles(self) -> int:
        """Clock cycles so far."""
        return self.model.cycles

    def product(self, a: np.ndarray, b: np.ndarray, progress: Callable[[int], None] = lambda tiles: None) -> np.ndarray:
        """The product over the semiring, in tiles padded with the semiring's zero.

        Parameters
        ----------
        a, b : integer arrays of shape (n, k) and (k, m), k from 1 to ``params.depth``, values of ``params.width`` bits
        progress : callable
            Told the number of tiles done so far in the engine's life.

        Returns
        -------
        int64 array of shape (n, m)

        Raises
        ------
        ValueError
            If shapes do not match, k is out of range, or a value does not fit.
        """
        rows, cols = self.params.rows, self.params.cols
        (n, k), (k_of_b, m) = a.shape, b.shape
        if k != k_of_b or not 1 <= k <= self.params.depth:
            raise ValueError(f"shapes {a.shape} and {b.shape} need one inner size from 1 to {self.params.depth}")
        bands = -(-n // rows), -(-m // cols)
        a_padded = np.full((bands[0] * rows, k), self.params.zero, np.int64)
        b_padded = np.full((k, bands[1] * cols), self.params.zero, np.int64)
        a_padded[:n], b_padded[:, :m] = a, b
        result = np.empty((bands[0] * rows, bands[1] * cols), np.int64)
        # One row of tiles per run: B stays, a band of A repeats.
        transfers = np.zeros(bands[1] * k, [("a", np.int64, (rows,)), ("b", np.int64, (cols,)), ("last", np.uint8)])
        transfers["b"] = b_padded.reshape(k, bands[1], cols).swapaxes(0, 1).reshape(-1, cols)
        transfers["last"][k - 1 :: k] = 1
        with self.lock:
            for band in range(bands[0]):
                span = slice(band * rows, (band + 1) * rows)
                transfers["a"] = np.tile(a_padded[span].T, (bands[1], 1))
                run = self.model.run({"i": transfers}, {"o": bands[1] * rows})
                result[span] = run.outputs["o"]["c"].reshape(bands[1], rows, cols).swapaxes(0, 1).reshape(rows, -1)
                self.tiles += bands[1]
                progress(self.tiles)
        return result[:n, :m]


@lru_cache(maxsize=_ENGINES)
def _engine(params: SystolicParams, tools: Tools | None) -> SystolicEngine:
    return SystolicEngine(params, tools)


def matmul(
    a: np.ndarray,
    b: np.ndarray,
    semiring: str = "plus-times",
    *,
    engine: str = "rtl",
    rows: int = 8,
    cols: int = 8,
    width: int = 16,
    stats: bool = False,
    tools: Tools | None = None,
) -> np.ndarray | tuple[np.ndarray, MatmulStats]:
    """``a @ b`` over a semiring; shapes as `numpy.matmul` has them: vectors, matrices, and stacks that broadcast.

    Parameters
    ----------
    a, b : arrays of integers that fit ``width`` bits; or of floats that are such integers or, in a tropical semiring, its
        infinity. In integer arrays the code `SystolicParams.zero` is infinity.
    semiring : {"plus-times", "min-plus", "max-plus"}
    engine : {"rtl", "golden"}
        The systolic array's RTL in tiles, or the golden model; the results are equal.
    rows, cols, width : int
        Of the array, as in `golden.systolic.SystolicParams`.
    stats : bool
        Return a `MatmulStats` beside the result.

    Returns
    -------
    int64 array, or float64 with infinities if an operand is of floats

    Raises
    ------
    BadInput
        If a value or parameter cannot be used.

    Examples
    --------
    >>> import numpy as np, trme
    >>> trme.matmul(np.array([[0, 3]]), np.array([[5], [1]]), "min-plus", engine="golden")
    array([[4]])
    """
    if engine not in ("rtl", "golden"):
        raise BadInput(f"engine must be rtl or golden, not {engine!r}")
    if semiring not in SEMIRINGS:
        raise BadInput(f"semiring must be one of {', '.join(SEMIRINGS)}, not {semiring!r}")
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        raise BadInput("a matrix product needs operands of one dimension or more, not scalars")
    is_float = a.dtype.kind == "f" or b.dtype.kind == "f"
    # A vector is a matrix of one row on the left, of one column on the right, and the result loses that dimension.
    left = a[np.newaxis, :] if a.ndim == 1 else a
    right = b[:, np.newaxis] if b.ndim == 1 else b
    k = left.shape[-1]
    if right.shape[-2] != k:
        raise BadInput(f"shapes {a.shape} and {b.shape} do not match: the inner sizes are {k} and {right.shape[-2]}")
    try:
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        depth = _depth(semiring, width, k)
        params = SystolicParams(rows=rows, cols=cols, semiring=semiring, width=width, depth=depth, pe="compact")
    except (TypeError, ValueError) as error:
        raise BadInput(str(error)) from error
    codes = [_codes(name, operand, params) for name, operand in (("a", left), ("b", right))]
    result, taken = _stacked(codes[0], codes[1], batch, params, engine, tools)
    if is_float:
        result = (
            np.where(result == params.zero, _infinity(params), result) if semiring != "plus-times" else result.astype(float)
        )
    if a.ndim == 1:
        result = result[..., 0, :]
    if b.ndim == 1:
        result = result[..., 0]
    return (result, taken) if stats else result


def _depth(semiring: str, width: int, k: int) -> int:
    """A depth that holds k, from a short list, so that few arrays are ever built; as deep as results of 64 bits allow."""
    depth = min(max(256, 1 << (max(k, 1) - 1).bit_length()), 65536)
    while depth > 1 and SEMIRINGS[semiring].result_width(width, depth) > 64:
        depth //= 2
    return depth


def _infinity(params) -> float:
    return np.inf if params.semiring == "min-plus" else -np.inf


def _codes(name: str, operand: np.ndarray, params: SystolicParams) -> np.ndarray:
    """The operand as int64, its infinities as the semiring's zero."""
    low, high = -(1 << params.width - 1), (1 << params.width - 1) - 1
    if operand.dtype.kind == "f":
        if params.semiring != "plus-times":
            infinite = operand == _infinity(params)
            if (operand[~infinite] == params.zero).any():
                raise BadInput(
                    f"{name} holds {params.zero}, which stands for infinity at width {params.width}: use a larger width"
                )
            operand = np.where(infinite, params.zero, operand)
        if not (np.isfinite(operand).all() and (operand == np.floor(operand)).all()):
            raise BadInput(
                f"{name} holds values that are neither integers nor the semiring's infinity: scale and round them first"
            )
    elif operand.dtype.kind not in "iub":
        raise BadInput(f"{name} must hold integers, not {operand.dtype}")
    if operand.size and (operand.min() < low or operand.max() > high):
        worst = operand.min() if operand.min() < low else operand.max()
        raise BadInput(f"{name} holds {worst}, which does not fit {params.width} bits, {low} to {high}: use a larger width")
    return operand.astype(np.int64)


def _stacked(a, b, batch, params, engine, tools) -> tuple[np.ndarray, MatmulStats]:
    n, k, m = a.shape[-2], a.shape[-1], b.shape[-1]
    if b.ndim == 2 and a.ndim > 2:  # one matrix on the right: the stack on the left is one tall matrix
        result, taken = _stacked(a.reshape(-1, k), b, (), params, engine, tools)
        return result.reshape(*batch, n, m), taken
    result = np.full((*batch, n, m), params.zero, np.int64)
    if result.size == 0 or k == 0:
        return result, MatmulStats(0, 0, 0.0)
    lefts = np.broadcast_to(a, (*batch, n, k)).reshape(-1, n, k)
    rights = np.broadcast_to(b, (*batch, k, m)).reshape(-1, k, m)
    flat = result.reshape(-1, n, m)
    if engine == "golden":
        for item, (left, right) in enumerate(zip(lefts, rights, strict=True)):
            flat[item] = semiring_product_fast(params, left, right)
        return result, MatmulStats(0, 0, 0.0)
    array = _engine(params, tools)
    with array.lock:
        cycles, tiles = array.cycles, array.tiles
        for item, (left, right) in enumerate(zip(lefts, rights, strict=True)):
            for start in range(0, k, params.depth):  # products deeper than a tile are summed in parts
                part = array.product(left[:, start : start + params.depth], right[start : start + params.depth])
                flat[item] = part if start == 0 else params.algebra.add(flat[item], part)
        cycles, tiles = array.cycles - cycles, array.tiles - tiles
    return result, MatmulStats(cycles, tiles, flat.size * k / (cycles * params.rows * params.cols))
