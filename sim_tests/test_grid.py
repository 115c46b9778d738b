# SPDX-License-Identifier: Apache-2.0
import pytest

from toolchain.errors import BadInput
from trme.catalog import find
from trme.grid import Choice, combinations, parse_grid


@pytest.mark.parametrize(
    ("words", "grid"),
    [
        (["modulus=251,253"], {"modulus": [251, 253]}),
        (["modulus=250..255:2, 3"], {"modulus": [250, 252, 254, 3]}),
        (["modulus=5..7,6,5"], {"modulus": [5, 6, 7]}),
        (["method=fold,exact", "no-dsp=true,false"], {"method": ["fold", "exact"], "no_dsp": [True, False]}),
        (["device=ecp5-25k-6,ecp5-25k-8", "copies=1..3"], {"device": ["ecp5-25k-6", "ecp5-25k-8"], "copies": [1, 2, 3]}),
        (["strategy=default,ripup", "streams=false"], {"strategy": ["default", "ripup"], "streams": [False]}),
        ([], {}),
    ],
    ids=str,
)
def test_grid_is_read(words, grid):
    assert parse_grid(words, find("modmul")) == grid


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("modulus", r"--grid 'modulus' must be NAME=VALUE,VALUE,\.\.\. such as modulus="),
        ("=5", "--grid '=5' must be NAME="),
        ("modulus=", "--grid 'modulus=' must be NAME="),
        ("modulos=5", "names 'modulos', which is not an axis of modmul: did you mean modulus"),
        ("rows=5", "the axes are modulus, method, no_dsp, device, strategy, streams, copies"),
        ("modulus=1000", "modulus must be an integer from 2 to 256, not 1000"),
        ("modulus=250..300", "modulus must be an integer from 2 to 256, not 300"),
        ("modulus=2.5", r"must have integers, or ranges as 200\.\.255 or 200\.\.255:5, not '2\.5'"),
        ("modulus=5,,7", "not ''"),
        ("modulus=7..5", r"modulus=7\.\.5 is empty: a range goes from low to high"),
        ("modulus=5..7:0", "steps of 1 or more"),
        ("modulus=0..99999999", "has 100000000 values, and 10000 is the most: take a larger step"),
        ("modulus=" + "9" * 5000, "must have integers"),
        ("method=magic", "method must be one of exact, .*not 'magic'"),
        ("no_dsp=maybe", "no_dsp must be true or false, not 'maybe'"),
        ("streams=1", "streams must be true or false, not '1'"),
        ("device=ecp5-25k-9", "there is no device 'ecp5-25k-9': did you mean ecp5-25k"),
        ("strategy=hard", "'hard' is not known: default"),
        ("copies=0", "copies must be from 1 to 256, not 0"),
    ],
    ids=lambda text: text[:30],
)
def test_bad_grid_is_refused_with_its_own_sentence(word, sentence):
    with pytest.raises(BadInput, match=sentence):
        parse_grid([word], find("modmul"))


def test_name_given_twice_is_refused():
    with pytest.raises(BadInput, match=r"names modulus twice: put all its values into one, modulus=5,\.\.\."):
        parse_grid(["modulus=5", "modulus=7"], find("modmul"))


def test_grid_with_too_many_points_is_refused():
    with pytest.raises(BadInput, match="the grid has 65025 points, and 10000 is the most"):
        parse_grid(["modulus=2..256", "copies=1..255"], find("modmul"))


def test_last_axis_changes_fastest():
    assert combinations({"a": [1, 2], "b": ["x", "y"]}) == [
        {"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"},
    ]  # fmt: skip
    assert combinations({}) == [{}]


def test_choice_takes_what_fits_together_only_with_the_rest():
    assert Choice(find("modmul"), {"no_dsp": True}).given == {"no_dsp": True}
    with pytest.raises(ValueError, match="modulus must be an integer from 2 to 256, not 1"):
        Choice(find("modmul"), {"modulus": 1})
