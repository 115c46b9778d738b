# SPDX-License-Identifier: Apache-2.0
import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

from golden.parameters import Parameters, choice, describe, integer


@dataclass(frozen=True, kw_only=True)
class Example(Parameters):
    """Two fields."""

    size: int = integer(4, 1, 8, "Size", unit="bits")
    kind: str = choice("round", ("round", "square"), "Shape")


def test_defaults_are_taken():
    assert Example().as_dict() == {"size": 4, "kind": "round"}


def test_numpy_integers_become_python_integers():
    assert type(Example(size=np.int8(3)).size) is int


@pytest.mark.parametrize("size", [0, 9, -1, 10**30])
def test_value_out_of_range_is_refused_with_range_and_unit(size):
    with pytest.raises(ValueError, match=f"size must be an integer from 1 to 8 bits, not {size}"):
        Example(size=size)


@pytest.mark.parametrize("size", [2.0, "2", None, True, np.float32(2)])
def test_value_of_wrong_type_is_refused(size):
    with pytest.raises(TypeError, match="size must be an integer from 1 to 8 bits, not "):
        Example(size=size)


def test_unknown_choice_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="kind must be one of round, square, not 'oval'"):
        Example(kind="oval")
    with pytest.raises(TypeError, match="kind must be one of round, square, not 3"):
        Example(kind=3)


def test_description_has_range_unit_and_choices():
    size, kind = dataclasses.fields(Example)
    assert describe(size) == "Size, 1 to 8 bits."
    assert describe(kind) == "Shape: round | square."
