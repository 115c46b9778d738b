# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trme.pareto import pareto_front


@given(
    arrays(np.float64, st.tuples(st.integers(0, 12), st.integers(1, 3)), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]))
)
def test_pareto_front_is_what_no_other_row_dominates(costs):
    def dominates(a, b):
        return (a <= b).all() and (a < b).any()

    expected = [not np.isnan(row).any() and not any(dominates(other, row) for other in costs) for row in costs]
    assert pareto_front(costs).tolist() == expected
