# SPDX-License-Identifier: Apache-2.0
"""The Pareto front: rows that no other row beats."""

import numpy as np

__all__ = ["pareto_front"]


def pareto_front(costs: np.ndarray) -> np.ndarray:
    """Which rows no other row dominates.

    A row dominates another if it costs no more in any column and less in one; equal rows stand side by side.

    Parameters
    ----------
    costs : float array of shape (n, k)
        Less is better. A row with a NaN is not on the front, and dominates none.

    Returns
    -------
    bool array of shape (n,)

    Examples
    --------
    >>> pareto_front(np.array([[1.0, 9.0], [2.0, 5.0], [2.0, 6.0], [3.0, 5.0]])).tolist()
    [True, True, False, False]
    """
    is_on_front = np.zeros(len(costs), bool)
    front = np.empty((0, costs.shape[1]))
    rows = np.flatnonzero(~np.isnan(costs).any(axis=1))
    for n in rows[np.lexsort(costs[rows].T[::-1])] if costs.shape[1] else rows:
        # By columns from the first on, no row is dominated by a later one.
        row = costs[n]
        if not ((front <= row).all(axis=1) & (front < row).any(axis=1)).any():
            is_on_front[n] = True
            front = np.vstack([front, row])
    return is_on_front
