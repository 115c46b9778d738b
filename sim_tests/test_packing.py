# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosim.packing import differences, dtype_of, from_limbs, pack, storage_bytes, to_limbs, unpack
from hdl.manifest import Array, Scalar, Struct

scalars = st.builds(Scalar, st.integers(1, 64) | st.sampled_from([8, 16, 32, 64, 65, 100, 128, 130]), st.booleans())
layouts = st.recursive(
    scalars,
    lambda inner: (
        st.builds(Array, inner, st.integers(1, 5))
        | st.lists(inner, min_size=1, max_size=4).map(lambda parts: Struct(tuple((f"f{n}", p) for n, p in enumerate(parts))))
    ),
    max_leaves=8,
)


def a_value(layout, draw):
    """A nested Python value, and its bits as one integer, made without the code under test."""
    match layout:
        case Scalar(width, signed):
            bits = draw(st.integers(0, 2**width - 1))
            value = bits - 2**width if signed and bits >> (width - 1) else bits
            limbs = [value >> 64 * n & 2**64 - 1 for n in range(-(-width // 64))]
            return (value if width <= 64 else limbs), bits
        case Array(element, length):
            parts = [a_value(element, draw) for _ in range(length)]
            return [v for v, _ in parts], sum(bits << (n * element.width) for n, (_, bits) in enumerate(parts))
        case Struct(fields):
            values, total, offset = [], 0, 0
            for _, field in fields:
                value, bits = a_value(field, draw)
                values.append(value)
                total |= bits << offset
                offset += field.width
            return tuple(values), total


@given(st.data(), layouts)
def test_packing_places_every_field_and_unpacking_returns_it(data, layout):
    values, bits = zip(*(a_value(layout, data.draw) for _ in range(3)), strict=True)
    array = np.zeros(3, dtype_of(layout))
    for n, value in enumerate(values):
        array[n] = value
    rows = pack(layout, array)
    assert rows.shape == (3, storage_bytes(layout.width))
    assert [int.from_bytes(row.tobytes(), "little") for row in rows] == list(bits)
    back = unpack(layout, rows)
    assert not differences(back, array).any()


@pytest.mark.parametrize(
    ("width", "size"),
    [(1, 1), (8, 1), (9, 2), (16, 2), (17, 4), (32, 4), (33, 8), (64, 8), (65, 12), (96, 12), (97, 16), (129, 20)],
)
def test_storage_is_as_verilator_has_it(width, size):
    assert storage_bytes(width) == size


@pytest.mark.parametrize(
    ("layout", "value"),
    [(Scalar(4, False), 16), (Scalar(4, False), -1), (Scalar(4, True), 8), (Scalar(4, True), -9), (Scalar(1, False), 2)],
)
def test_value_that_does_not_fit_is_refused_not_wrapped(layout, value):
    with pytest.raises(ValueError, match=f"the payload of item 1 is {value}, which does not fit"):
        pack(layout, np.array([0, value]))


def test_wrong_fields_dimensions_and_types_are_refused():
    layout = Struct((("a", Array(Scalar(8, True), 3)), ("b", Scalar(1, False))))
    with pytest.raises(TypeError, match="the payload must have the fields a, b, not "):
        pack(layout, np.zeros(2, [("a", "i1", (3,))]))
    with pytest.raises(TypeError, match="the payload must have the fields a, b, not int64"):
        pack(layout, np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"a must be of shape \(3,\) per item, not \(2,\)"):
        pack(layout, np.zeros(2, [("a", "i1", (2,)), ("b", "u1")]))
    with pytest.raises(ValueError, match=r"b must be one value per item, not of shape \(4,\)"):
        pack(layout, np.zeros(2, [("a", "i1", (3,)), ("b", "u1", (4,))]))
    with pytest.raises(TypeError, match="b must hold integers, not float32"):
        pack(layout, np.zeros(2, [("a", "i1", (3,)), ("b", "f4")]))
    with pytest.raises(ValueError, match=r"a\[1\] of item 2 is 128, which does not fit -128 to 127"):
        values = np.zeros(3, [("a", "i2", (3,)), ("b", "u1")])
        values["a"][2, 1] = 128
        pack(layout, values)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("width", [65, 100, 128, 130])
def test_wide_fields_are_limbs_and_limbs_are_python_integers(width, signed):
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
    values = [low, high, 0, 1, high // 3, low // 3]
    limbs = to_limbs(values, width)
    assert from_limbs(limbs, width, signed=signed) == values
    rows = pack(Scalar(width, signed), limbs)
    assert [int.from_bytes(row.tobytes(), "little") for row in rows] == [value % 2**width for value in values]
    np.testing.assert_array_equal(unpack(Scalar(width, signed), rows), limbs)
    with pytest.raises(OverflowError, match="does not fit"):
        to_limbs([2**width], width)
    if width % 64:
        with pytest.raises(ValueError, match="the highest limb of the payload of item 0 is"):
            pack(Scalar(width, signed), np.full((1, limbs.shape[1]), 2**63, np.uint64))


def test_any_layout_in_memory_will_do():
    layout = Scalar(8, False)
    values = np.arange(20, dtype=np.int16)[::-2]
    values.flags.writeable = False
    np.testing.assert_array_equal(unpack(layout, pack(layout, values)), values)
    assert pack(layout, values[:0]).shape == (0, 1)
