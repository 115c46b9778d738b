# SPDX-License-Identifier: Apache-2.0
"""Transfers for the systolic array: tiles of many depths, with the values at which saturation and infinity show."""

import numpy as np

from golden.systolic import tile_ends
from trme.stimuli import Stimuli

__all__ = ["SystolicStimuli"]

_LONGEST_DIRECTED = 1024


class SystolicStimuli(Stimuli):
    """Tiles, each ending with a transfer marked last."""

    def _empty(self, n):
        p = self.params
        return np.zeros(n, [("a", np.int32, (p.rows,)), ("b", np.int32, (p.cols,)), ("last", np.uint8)])

    def _tile(self, depth, a, b):
        tile = self._empty(depth)
        tile["a"], tile["b"], tile["last"][-1] = a, b, 1
        return tile

    def _edges(self):
        """The smallest and largest codes, their neighbours, and the small numbers."""
        low, high = -(1 << self.params.width - 1), (1 << self.params.width - 1) - 1
        return np.unique(np.clip([low, low + 1, low // 2, -1, 0, 1, high // 2, high - 1, high], low, high))

    def directed(self):
        p, edges = self.params, self._edges()
        tiles = []
        # Every pair of edge values meets in some processing element, alone and beside an unlike pair.
        for x in edges:
            for n in range(0, len(edges), p.cols):
                row = np.resize(edges[n : n + p.cols], p.cols)
                tiles.append(self._tile(1, x, row))
                tiles.append(self._tile(min(2, p.depth), np.full(p.rows, x), row[::-1]))
        # All extremes over the whole depth: the largest sum of either sign, or saturation throughout.
        depth = min(p.depth, _LONGEST_DIRECTED)
        tiles += [self._tile(depth, x, y) for x in edges[[0, -1]] for y in edges[[0, -1]]]
        # The identity: the semiring's one on the diagonal, its zero elsewhere, against ascending numbers.
        depth = min(p.depth, p.rows)
        tiles.append(self._tile(
            depth,
            np.where(np.eye(depth, p.rows, dtype=bool), p.algebra.one, p.zero),
            np.arange(depth * p.cols).reshape(depth, p.cols) % (1 << p.width - 1),
        ))  # fmt: skip
        # Depths around the array's own size, without gaps between them.
        for depth in sorted({d for n in (p.rows, p.cols, p.rows + p.cols) for d in (n - 1, n, n + 1) if 1 <= d <= p.depth}):
            a = np.arange(depth * p.rows).reshape(depth, p.rows) % 7 - 3
            b = np.arange(depth * p.cols).reshape(depth, p.cols) % 5 - 2
            low, high = edges[0], edges[-1]
            tiles += [self._tile(depth, np.clip(a, low, high), np.clip(b, low, high))] * 2
        return np.concatenate(tiles)

    def _values(self, shape, style, rng):
        """Values in one of four styles per transfer: full range, small, edges, or full range with many zeros."""
        low, high = -(1 << self.params.width - 1), (1 << self.params.width - 1) - 1
        full = rng.integers(low, high + 1, shape)
        small = rng.integers(max(low, -4), min(high, 4) + 1, shape)
        edges = rng.choice(self._edges(), shape)
        sparse = np.where(rng.random(shape) < 0.5, self.params.zero, full)
        return np.choose(style[:, None], [full, small, edges, sparse])

    def random(self, n, rng):
        p = self.params
        likely = np.array([1, 2, p.rows - 1, p.rows, p.rows + 1, p.rows + p.cols, 3 * max(p.rows, p.cols)])
        depths = np.where(rng.random(n) < 0.7, rng.choice(likely, n), rng.integers(1, 65, n))
        if p.depth <= n // 8:
            depths[rng.random(n) < 0.02] = p.depth
        depths = np.clip(depths, 1, p.depth)
        ends = np.cumsum(depths)
        ends = ends[ends < n]
        transfers = self._empty(n)
        transfers["last"][ends - 1] = 1
        transfers["last"][-1:] = 1
        tile = np.searchsorted(ends, np.arange(n), side="right")
        style = rng.integers(0, 4, len(ends) + 1)[tile]
        transfers["a"] = self._values((n, p.rows), style, rng)
        transfers["b"] = self._values((n, p.cols), style, rng)
        return transfers

    def steady(self, n, rng):
        depth = min(self.params.rows, self.params.depth)
        transfers = self.random(-(-n // depth) * depth, rng)
        transfers["last"] = 0
        transfers["last"][depth - 1 :: depth] = 1
        return transfers

    def cause(self, transfers, output):
        ends = tile_ends(transfers["last"])
        tile = output // self.params.rows
        return slice(int(ends[tile - 1]) if tile else 0, int(ends[tile]))

    def show(self, field, value):
        if field in ("a", "b", "c") and value == self.params.zero and self.params.semiring != "plus-times":
            return "inf" if value > 0 else "-inf"
        return str(value)
