# SPDX-License-Identifier: Apache-2.0
"""Matrix products of any size on a systolic array of some size, tile by tile, on the RTL."""

from collections.abc import Callable

import numpy as np

import cosim
from golden.systolic import SystolicParams
from toolchain.verilator import Tools
from trme.catalog import find
from trme.design import Design

__all__ = ["SystolicEngine"]


class SystolicEngine:
    """A systolic array's RTL as a matrix multiplier; a context manager.

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
        transfers = np.zeros(bands[1] * k, self.model.dtype("i"))
        transfers["b"] = b_padded.reshape(k, bands[1], cols).swapaxes(0, 1).reshape(-1, cols)
        transfers["last"][k - 1 :: k] = 1
        for band in range(bands[0]):  # one row of tiles per run: B stays, A's band repeats
            span = slice(band * rows, (band + 1) * rows)
            transfers["a"] = np.tile(a_padded[span].T, (bands[1], 1))
            run = self.model.run({"i": transfers}, {"o": bands[1] * rows})
            result[span] = run.outputs["o"]["c"].reshape(bands[1], rows, cols).swapaxes(0, 1).reshape(rows, -1)
            self.tiles += bands[1]
            progress(self.tiles)
        return result[:n, :m]
