# SPDX-License-Identifier: Apache-2.0
import doctest
import importlib
import subprocess
import sys

import numpy as np
import pytest

import trme as workbench
from golden.semiring import SEMIRINGS
from toolchain.errors import BadInput

SHAPES = [
    ((3, 4), (4, 5)), ((1, 9), (9, 1)), ((7,), (7,)), ((7,), (7, 3)), ((2, 7), (7,)), ((2, 3, 4, 5), (5, 6)),
    ((4, 5), (3, 5, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0, 2, 3), (3, 4)),
    ((17, 33), (33, 9)),
]  # fmt: skip


def reference(a, b, semiring):
    """By NumPy's own broadcasting; -1 stands for every inner index."""
    if semiring == "plus-times":
        return np.matmul(a, b)
    left = a[np.newaxis, :] if a.ndim == 1 else a
    right = b[:, np.newaxis] if b.ndim == 1 else b
    pick, start = (np.min, np.inf) if semiring == "min-plus" else (np.max, -np.inf)
    result = pick(left[..., :, :, None].astype(float) + right[..., None, :, :].astype(float), axis=-2, initial=start)
    result = result[..., 0, :] if a.ndim == 1 else result
    return result[..., 0] if b.ndim == 1 else result


@pytest.mark.simulator
@pytest.mark.parametrize("engine", ["rtl", "golden"])
@pytest.mark.parametrize("semiring", SEMIRINGS)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_every_shape_that_numpy_multiplies(shapes, semiring, engine):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-50, 50, shape).astype(float) for shape in shapes)
    result = workbench.matmul(a, b, semiring, engine=engine, rows=4, cols=3)
    expected = reference(a, b, semiring)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@pytest.mark.simulator
def test_strides_do_not_matter_and_operands_stay_as_they_are():
    rng = np.random.default_rng(2)
    a, b = rng.integers(-9, 9, (12, 10)), rng.integers(-9, 9, (20, 12))
    views = a.T[::-2, ::3], b[1::5].T[::3, :]
    for view in views:
        view.flags.writeable = False
    np.testing.assert_array_equal(workbench.matmul(*views), views[0] @ views[1])


@pytest.mark.simulator
def test_products_deeper_than_a_tile_are_summed_in_parts(monkeypatch):
    monkeypatch.setattr("trme.products._depth", lambda semiring, width, k: 16)
    rng = np.random.default_rng(3)
    a, b = rng.integers(-50, 50, (3, 50)), rng.integers(-50, 50, (50, 4))
    for semiring in SEMIRINGS:
        np.testing.assert_array_equal(workbench.matmul(a, b, semiring), reference(a, b, semiring))


@pytest.mark.simulator
def test_statistics_count_cycles_tiles_and_utilisation():
    a, b = np.ones((16, 200), int), np.ones((200, 24), int)
    result, stats = workbench.matmul(a, b, stats=True)
    assert (result == 200).all()
    assert stats.tiles == 6
    assert stats.cycles >= 6 * 200
    assert stats.utilisation == pytest.approx(16 * 24 * 200 / (stats.cycles * 64))
    assert 0.8 < stats.utilisation <= 1
    assert workbench.matmul(a, b, engine="golden", stats=True)[1].cycles == 0


def test_infinity_is_infinity_in_floats_and_the_zero_code_in_integers():
    a = np.array([[0.0, np.inf]])
    np.testing.assert_array_equal(workbench.matmul(a, np.array([[5.0], [1.0]]), "min-plus", engine="golden"), [[5.0]])
    np.testing.assert_array_equal(workbench.matmul(a, np.array([[np.inf], [1.0]]), "min-plus", engine="golden"), [[np.inf]])
    np.testing.assert_array_equal(workbench.matmul([[32767]], [[1]], "min-plus", engine="golden"), [[32767]])


@pytest.mark.parametrize(
    ("a", "b", "options", "telling"),
    [
        ([[1]], [[1], [2]], {}, "shapes (1, 1) and (2, 1) do not match: the inner sizes are 1 and 2"),
        (3, [[1]], {}, "not scalars"),
        ([[1]], [[1]], {"semiring": "min-times"}, "semiring must be one of min-plus, max-plus, plus-times, not 'min-times'"),
        ([[1]], [[1]], {"engine": "fpga"}, "engine must be rtl or golden, not 'fpga'"),
        ([[40000]], [[1]], {}, "a holds 40000, which does not fit 16 bits, -32768 to 32767: use a larger width"),
        ([[1]], [[0.5]], {}, "b holds values that are neither integers nor the semiring's infinity"),
        ([[np.nan]], [[1]], {}, "a holds values that are neither integers"),
        ([[-np.inf]], [[1]], {"semiring": "min-plus"}, "a holds values that are neither integers"),
        ([[32767.0]], [[1]], {"semiring": "min-plus"}, "a holds 32767, which stands for infinity at width 16"),
        ([["x"]], [[1]], {}, "a must hold integers"),
        ([[1]], [[1]], {"rows": 0}, "rows must be an integer from 1 to 256"),
        (np.zeros((2, 3, 4)), np.zeros((3, 4, 4)), {}, "broadcast"),
    ],
)  # fmt: skip
def test_unusable_operands_give_one_sentence(a, b, options, telling):
    with pytest.raises(BadInput) as caught:
        workbench.matmul(a, b, **{"engine": "golden", **options})
    assert telling in str(caught.value)


@pytest.mark.simulator
@pytest.mark.parametrize("name", ["modmul", "systolic"])
def test_handle_gives_verilog_golden_rtl_and_comparison(name):
    h = workbench.load(name)
    transfers = h.design.stimuli.random(400, np.random.default_rng(1))
    assert f"module {name}(" in h.verilog
    golden, rtl = h.golden(transfers), h.rtl(transfers)
    for field in golden.dtype.names or [...]:
        np.testing.assert_array_equal(golden[field], rtl[field])
    outcome = h.compare(transfers)
    assert (outcome.vectors, outcome.first_divergence) == (400, None)
    assert name in repr(h)


def test_handle_refuses_what_is_no_unit_parameter_or_transfer():
    with pytest.raises(BadInput, match="there is no unit 'divider': the units are modmul, systolic"):
        workbench.load("divider")
    with pytest.raises(BadInput, match="modulus must be an integer from 2 to 256, not 1"):
        workbench.load("modmul", modulus=1)
    with pytest.raises(BadInput, match="unexpected keyword argument 'rows'"):
        workbench.load("modmul", rows=1)
    with pytest.raises(BadInput, match="these are no transfers of type"):
        workbench.load("modmul").golden([("a", "b")])


@pytest.mark.parametrize("module", ["trme", "trme.handle", "trme.products"])
def test_examples_in_docstrings_are_right(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert (failed, tried > 0) == (0, True)


def test_import_of_the_package_is_light():
    code = "import sys, trme; print([m for m in ('numpy', 'amaranth', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    with pytest.raises(AttributeError, match="module 'trme' has no attribute 'nothing'"):
        _ = workbench.nothing
