# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy as np
import pytest

from golden.semiring import SEMIRINGS, PlusTimes, Tropical

WIDTHS = (2, 3, 4)
TROPICAL = [s for s in SEMIRINGS.values() if isinstance(s, Tropical)]


def codes(width):
    return np.arange(-(1 << width - 1), 1 << width - 1)


def pairs(width):
    return np.meshgrid(codes(width), codes(width), indexing="ij")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("semiring", SEMIRINGS.values(), ids=SEMIRINGS)
def test_zero_and_one_are_neutral_and_zero_absorbs_from_both_sides(semiring, width):
    x, zero, one = codes(width), semiring.zero(width), semiring.one
    np.testing.assert_array_equal(semiring.add(x, zero), x)
    np.testing.assert_array_equal(semiring.mul(x, np.array(one), width), x)
    np.testing.assert_array_equal(semiring.mul(np.array(one), x, width), x)
    np.testing.assert_array_equal(semiring.mul(x, np.array(zero), width), np.full_like(x, zero))
    np.testing.assert_array_equal(semiring.mul(np.array(zero), x, width), np.full_like(x, zero))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("semiring", SEMIRINGS.values(), ids=SEMIRINGS)
def test_both_operations_commute_and_addition_is_associative(semiring, width):
    x, y = pairs(width)
    np.testing.assert_array_equal(semiring.mul(x, y, width), semiring.mul(y, x, width))
    np.testing.assert_array_equal(semiring.add(x, y), semiring.add(y, x))
    for z in codes(width):
        np.testing.assert_array_equal(semiring.add(semiring.add(x, y), z), semiring.add(x, semiring.add(y, z)))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("semiring", SEMIRINGS.values(), ids=SEMIRINGS)
def test_multiplication_distributes_over_addition(semiring, width):
    """Saturation does not break it: clamping is monotonic, so it commutes with min and max."""
    x, y = pairs(width)
    for z in codes(width):
        left = semiring.mul(np.array(z), semiring.add(x, y), width)
        right = semiring.add(semiring.mul(np.array(z), x, width), semiring.mul(np.array(z), y, width))
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("semiring", TROPICAL, ids=lambda s: s.name)
def test_multiplication_is_associative_unless_it_saturates_both_ways(semiring):
    width = 4
    low, high = semiring.finite(width)
    zero = semiring.zero(width)
    for x, y, z in itertools.product(codes(width).tolist(), repeat=3):
        left = int(semiring.mul(semiring.mul(np.array(x), np.array(y), width), np.array(z), width))
        right = int(semiring.mul(np.array(x), semiring.mul(np.array(y), np.array(z), width), width))
        if zero in (x, y, z) or (low <= x + y <= high and low <= y + z <= high):
            assert left == right


@pytest.mark.parametrize("semiring", TROPICAL, ids=lambda s: s.name)
def test_finite_sums_saturate_to_the_nearest_finite_value(semiring):
    width = 8
    low, high = semiring.finite(width)
    x, y = pairs(width)
    finite = (x != semiring.zero(width)) & (y != semiring.zero(width))
    product = semiring.mul(x, y, width)
    np.testing.assert_array_equal(product[finite], np.minimum(np.maximum((x + y)[finite], low), high))
    assert not (product[finite] == semiring.zero(width)).any()


def test_sentinels_are_the_extreme_codes():
    assert SEMIRINGS["min-plus"].zero(16) == 32767
    assert SEMIRINGS["max-plus"].zero(16) == -32768
    assert SEMIRINGS["min-plus"].finite(16) == (-32768, 32766)
    assert SEMIRINGS["max-plus"].finite(16) == (-32767, 32767)


@pytest.mark.parametrize("width", [2, 8, 16])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 255, 256, 257, 65536])
def test_plus_times_results_are_as_wide_as_the_largest_sum_and_no_wider(width, depth):
    semiring = SEMIRINGS["plus-times"]
    assert isinstance(semiring, PlusTimes)
    bits = semiring.result_width(width, depth)
    largest = depth * (2 ** (width - 1)) ** 2
    assert largest <= 2 ** (bits - 1) - 1
    assert largest > 2 ** (bits - 2) - 1
