# SPDX-License-Identifier: Apache-2.0
"""Transfers for modular arithmetic."""

from typing import ClassVar

import numpy as np

from trme.stimuli import Stimuli

__all__ = ["ModMulStimuli"]


def _pairs(a, b) -> np.ndarray:
    transfers = np.zeros(len(a), [("a", np.uint8), ("b", np.uint8)])
    transfers["a"], transfers["b"] = a, b
    return transfers


class ModMulStimuli(Stimuli):
    """Pairs of residues."""

    stages: ClassVar = {"core.a": 1, "core.b": 1, "core.x": 2, "core.quotient": 3, "core.part": 4, "core.remainder": 5}

    def directed(self):
        m = self.params.modulus
        edges = sorted({residue % m for residue in (0, 1, 2, m // 2 - 1, m // 2, m // 2 + 1, m - 2, m - 1)})
        a, b = np.meshgrid(edges, edges, indexing="ij")
        return _pairs(a.ravel(), b.ravel())

    def random(self, n, rng):
        return _pairs(*rng.integers(0, self.params.modulus, (2, n)))

    def every(self):
        m = self.params.modulus
        return _pairs(*np.divmod(np.arange(m * m), m))
