# SPDX-License-Identifier: Apache-2.0
"""Transfers for modular arithmetic."""

import numpy as np

from trme.stimuli import Stimuli

__all__ = ["ModMulStimuli"]


def _pairs(a, b) -> np.ndarray:
    transfers = np.zeros(len(a), [("a", np.uint8), ("b", np.uint8)])
    transfers["a"], transfers["b"] = a, b
    return transfers


class ModMulStimuli(Stimuli):
    """Pairs of residues."""

    @property
    def stages(self):
        """By method: what is registered behind the multipliers."""
        if self.params.method == "fold" or self.params.is_power_of_two:
            return {} if self.params.no_dsp else {"core.x": 5}
        return {"core.quotient": 8, "core.part": 12, "core.remainder": 13}

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
