# SPDX-License-Identifier: Apache-2.0
import dataclasses

import galois
import numpy as np
import pytest

from golden.modular import Barrett, Folding, ModMulParams, modmul, modmul_fast
from trme.compare import compare

EVERY_MODULUS = range(2, 257)
METHODS = ("exact", "classic", "fold")
BARRETT = METHODS[:2]
# The ones asked for by name, both ends, powers of two and their neighbours, the worst shortfalls, and primes.
RTL_MODULI = (251, 253, 255, 256, 241, 3, 2, 4, 5, 7, 16, 17, 31, 64, 127, 128, 129, 193, 239, 254)


def all_pairs(modulus):
    return np.divmod(np.arange(modulus * modulus), modulus)


@pytest.mark.parametrize("method", METHODS)
def test_every_pair_of_every_modulus_agrees_with_pythons_remainder(method):
    for modulus in EVERY_MODULUS:
        a, b = all_pairs(modulus)
        expected = [x % modulus for x in (a * b).tolist()]
        np.testing.assert_array_equal(modmul_fast(ModMulParams(modulus=modulus, method=method), a, b), expected)


@pytest.mark.parametrize("prime", [2, 3, 101, 241, 251])
def test_prime_moduli_agree_with_galois_multiplication_table(prime):
    field = galois.GF(prime)
    a, b = all_pairs(prime)
    np.testing.assert_array_equal(modmul_fast(ModMulParams(modulus=prime), a, b), np.asarray(field(a) * field(b)))


def test_specification_is_the_remainder_of_the_product():
    assert [modmul(a, b, 7) for a, b in ((0, 0), (6, 6), (3, 5))] == [0, 1, 1]


@pytest.mark.parametrize(
    ("modulus", "shift", "mu"), [(251, 23, 33421), (253, 23, 33157), (255, 23, 32897), (241, 20, 4351), (256, 8, 1)]
)
def test_exact_constants_are_the_smallest(modulus, shift, mu):
    reduction = ModMulParams(modulus=modulus).reduction
    assert (reduction.shift, reduction.mu, reduction.corrections) == (shift, mu, 0)
    with pytest.raises(ValueError, match="do not reduce"):
        smaller = 1 << shift - 1
        dataclasses.replace(reduction, shift=shift - 1, mu=-(-smaller // modulus)).check()


@pytest.mark.parametrize("modulus", EVERY_MODULUS)
def test_classic_corrections_are_needed_and_enough(modulus):
    reduction = ModMulParams(modulus=modulus, method="classic").reduction
    assert reduction.shortfall().max() == reduction.corrections <= 1


def test_any_constant_off_by_one_is_caught_at_construction():
    reduction = ModMulParams(modulus=251).reduction
    for change in (
        {"mu": reduction.mu + 1},
        {"mu": reduction.mu - 1},
        {"shift": reduction.shift - 1},
        {"shift": reduction.shift + 1},
    ):
        with pytest.raises(ValueError, match="do not reduce"):
            dataclasses.replace(reduction, **change).check()


@pytest.mark.parametrize("modulus", EVERY_MODULUS)
@pytest.mark.parametrize("method", BARRETT)
def test_widths_hold_the_largest_values_and_no_more(modulus, method):
    reduction: Barrett = ModMulParams(modulus=modulus, method=method).reduction
    x = np.arange(reduction.x_max + 1)
    quotient = x * reduction.mu >> reduction.shift
    assert reduction.x_bits == max(int(x.max()).bit_length(), 1)
    assert reduction.quotient_bits >= int(quotient.max()).bit_length()
    assert reduction.remainder_bits >= int((x - quotient * modulus).max()).bit_length()


@pytest.mark.parametrize("modulus", [1, 0, -5, 257])
def test_modulus_out_of_range_is_refused(modulus):
    with pytest.raises(ValueError, match=f"modulus must be an integer from 2 to 256, not {modulus}"):
        ModMulParams(modulus=modulus)


@pytest.mark.parametrize("modulus", RTL_MODULI)
@pytest.mark.parametrize("method", METHODS)
def test_rtl_agrees_on_every_pair(design, tools, modulus, method):
    outcome = compare(design("modmul", modulus=modulus, method=method), vectors=None, tools=tools)
    assert outcome.first_divergence is None
    assert outcome.outputs == modulus * modulus


@pytest.mark.parametrize("modulus", [251, 253, 255, 256, 2, 3, 7, 129])
def test_rtl_without_dsp_agrees_on_every_pair(design, tools, modulus):
    outcome = compare(design("modmul", modulus=modulus, method="fold", no_dsp=True), vectors=None, tools=tools)
    assert outcome.first_divergence is None
    assert outcome.outputs == modulus * modulus


@pytest.mark.parametrize("modulus", EVERY_MODULUS)
def test_folds_leave_less_than_twice_the_modulus_and_their_bounds_are_reached(modulus):
    folding: Folding = ModMulParams(modulus=modulus, method="fold").reduction
    bound = folding.x_max
    for fold in folding.folds:
        assert fold.bound < bound
        bound = fold.bound
    assert bound < 2 * modulus


def test_wrong_fold_is_caught():
    folding = ModMulParams(modulus=251, method="fold").reduction
    first = folding.folds[0]
    tables = ((*first.tables[0][:3], first.tables[0][3] + 1, *first.tables[0][4:]), *first.tables[1:])
    with pytest.raises(ValueError, match="the folds do not reduce 768 modulo 251"):
        dataclasses.replace(folding, folds=(dataclasses.replace(first, tables=tables), *folding.folds[1:])).check()


@pytest.mark.parametrize("method", BARRETT)
def test_no_dsp_goes_with_fold_only(method):
    with pytest.raises(ValueError, match=f"no_dsp goes with method fold, because method {method} multiplies three times"):
        ModMulParams(method=method, no_dsp=True)


def test_rtl_agrees_with_pauses_on_both_sides(design, tools):
    assert compare(design("modmul"), vectors=30_000, stall=0.4, seed=5, tools=tools).first_divergence is None
