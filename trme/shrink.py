# SPDX-License-Identifier: Apache-2.0
"""Making a failing sequence short: fewer transfers first, then simpler values.

Reference: A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28 (2002), algorithm ddmin.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

__all__ = ["shrink"]


def shrink(transfers: np.ndarray, fails: Callable[[np.ndarray], bool], *, most_trials: int = 2000) -> np.ndarray:
    """A sequence that still fails and from which nothing can be left out alone.

    Parameters
    ----------
    transfers : array of shape ``(n,)``
        Fails.
    fails : callable
        Whether a sequence fails; must not change its argument.
    most_trials : int
        Sequences to try at most; then what has been reached is returned.
    """
    trials = iter(range(most_trials))

    def still_fails(candidate) -> bool:
        return next(trials, None) is not None and fails(candidate)

    return _simplified(_fewer(transfers, still_fails), still_fails)


def _fewer(transfers, fails):
    parts = 2
    while len(transfers) > 1:
        bounds = np.linspace(0, len(transfers), parts + 1).astype(int)
        for begin, end in pairwise(bounds):
            rest = np.concatenate([transfers[:begin], transfers[end:]])
            if len(rest) < len(transfers) and fails(rest):
                transfers, parts = rest, max(parts - 1, 2)
                break
        else:
            if parts >= len(transfers):
                break
            parts = min(len(transfers), 2 * parts)
    return transfers


def _simplified(transfers, fails):
    """Every value zero where the failure does not need it, or else halved as often as it does not mind."""
    transfers = transfers.copy()
    fields = [transfers[name] for name in transfers.dtype.names] if transfers.dtype.names else [transfers]
    for field in fields:  # views: what is set in them is set in the transfers
        flat = field.reshape(-1) if field.flags.c_contiguous else field
        for index in np.ndindex(flat.shape):
            for simpler in (lambda value: value * 0, lambda value: value // 2 if value > 0 else -(-value // 2)):
                while flat[index] != (value := simpler(flat[index])):
                    before = flat[index]
                    flat[index] = value
                    if not fails(transfers):
                        flat[index] = before
                        break
    return transfers
