# SPDX-License-Identifier: Apache-2.0
"""What units are tried with: edge cases first, then seeded random transfers."""

from abc import ABC, abstractmethod

import numpy as np

__all__ = ["Stimuli"]


class Stimuli(ABC):
    """Transfers for a unit's stream ``i``, as structured arrays of shape ``(n,)`` with the fields of its payload.

    Every array must be a sequence that the unit answers to completely: nothing may be left unfinished at its end.
    """

    def __init__(self, params):
        self.params = params

    @property
    def stages(self) -> dict[str, int]:
        """Registers worth showing when a result is wrong: by their path below the top module, the cycle after the input
        transfer in which each holds what became of it."""
        return {}

    @abstractmethod
    def directed(self) -> np.ndarray:
        """The edge cases."""

    @abstractmethod
    def random(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` random transfers that favour the edges."""

    def steady(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """About ``n`` transfers that the unit can take at its initiation interval, one after the other."""
        return self.random(n, rng)

    def every(self) -> np.ndarray | None:
        """All there is to try, or None if that is too much."""
        return None

    def cause(self, transfers: np.ndarray, output: int) -> slice:
        """Which of the transfers make the output of that index; one makes one unless overridden."""
        return slice(output, output + 1)

    def show(self, field: str, value: int) -> str:
        """A value as the unit sees it."""
        return str(value)
