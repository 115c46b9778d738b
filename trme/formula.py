# SPDX-License-Identifier: Apache-2.0
"""Formulas that an estimate evaluates: sums of products, and trees."""

import math
from dataclasses import dataclass

__all__ = ["Linear", "Trees", "term"]


@dataclass(frozen=True)
class Linear:
    """A weighted sum of terms; each is a product of numbers, or of their logarithms if ``is_log``.

    Then the sum is the logarithm too: of one more than the target, so that nothing has one.
    """

    terms: list[list[str]]
    weights: list[float]
    offset: float
    is_log: bool

    def predict(self, numbers: dict[str, float]) -> float:
        """The target."""
        total = self.offset
        for names, weight in zip(self.terms, self.weights, strict=True):
            total += weight * term(names, numbers, self.is_log)
        return math.expm1(min(total, 50.0)) if self.is_log else total


@dataclass(frozen=True)
class Trees:
    """A sum of regression trees, the logarithm of one more than the target.

    A node is [feature, threshold, node if not above, node if above], features and nodes by index; a leaf is its value.
    """

    features: list[str]
    trees: list[list[list[float] | float]]
    offset: float

    def predict(self, numbers: dict[str, float]) -> float:
        """The target."""
        values = [numbers[name] for name in self.features]
        total = self.offset
        for tree in self.trees:
            node = tree[0]
            while isinstance(node, list):
                feature, threshold, low, high = node
                node = tree[int(low if values[int(feature)] <= threshold else high)]
            total += node
        return math.expm1(total)


def term(names: list[str], numbers: dict[str, float], is_log: bool) -> float:
    """The value of a term of `Linear`."""
    product = 1.0
    for name in names:
        product *= math.log1p(max(numbers[name], 0.0)) if is_log else numbers[name]
    return product
