# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trme.shrink import shrink


@given(st.sets(st.integers(0, 39), min_size=1, max_size=4))
def test_exactly_what_is_needed_is_left(needed):
    def fails(values):
        return needed <= set((values - 1000).tolist())

    short = shrink(np.arange(40) + 1000, fails)
    assert set((short - 1000).tolist()) == needed


def test_values_become_as_simple_as_the_failure_allows():
    transfers = np.zeros(9, [("a", np.int16, (3,)), ("last", np.uint8)])
    transfers["a"], transfers["last"] = 1000, 1
    transfers["a"][4, 1] = -900
    short = shrink(transfers, lambda t: bool((t["a"][:, 1] <= -100).any()))
    assert len(short) == 1
    assert short["a"].tolist() == [[0, -112, 0]]
    assert short["last"].tolist() == [0]


def test_trials_are_bounded_and_the_result_still_fails():
    tried = []

    def fails(values):
        tried.append(1)
        return 7 in values

    short = shrink(np.arange(1000), fails, most_trials=5)
    assert len(tried) == 5
    assert 7 in short
