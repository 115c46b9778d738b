# SPDX-License-Identifier: Apache-2.0
import math
import subprocess
import sys

import numpy as np
import pytest

from golden.systolic import SystolicParams
from toolchain.errors import BadInput, ToolMissing

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make setup EXTRAS=torch")
front = pytest.importorskip("trme.torch")

SMALL = {"rows": 4, "cols": 4}  # one array size for all tests: few models to build
TROPICAL = ("min-plus", "max-plus")


def infinity(semiring):
    return math.inf if semiring == "min-plus" else -math.inf


def integers(rng, shape, largest=100):
    return torch.from_numpy(rng.integers(-largest, largest + 1, shape))


def sixteenths(rng, shape, dtype=None):
    return (integers(rng, shape) / 16).to(dtype or torch.float64)


def tropical(a, b, semiring):
    """The product by PyTorch's own operations, for matrices and stacks."""
    terms = a.unsqueeze(-1) + b.unsqueeze(-3)
    return terms.amin(-2) if semiring == "min-plus" else terms.amax(-2)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(params=["golden", pytest.param("rtl", marks=pytest.mark.simulator)])
def engine(request):
    return request.param


# Forward


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool], ids=str)
def test_integers_are_exact(rng, engine, dtype):
    a = integers(rng, (5, 7)).abs().to(dtype)
    b = integers(rng, (7, 6))
    result = front.matmul(a, b, engine=engine, **SMALL)
    assert result.dtype == torch.int64
    assert torch.equal(result, a.long() @ b)


@pytest.mark.parametrize("semiring", TROPICAL)
def test_tropical_integers_are_exact_and_keep_infinity(rng, engine, semiring):
    zero = SystolicParams(semiring=semiring).zero
    a, b = integers(rng, (5, 7)), integers(rng, (7, 6))
    a[2] = zero
    expected = tropical(a, b, semiring)
    expected[2] = zero
    assert torch.equal(front.matmul(a, b, semiring, engine=engine, **SMALL), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("semiring", ["plus-times", *TROPICAL])
def test_dyadic_floats_are_exact(rng, engine, semiring, dtype):
    a, b = sixteenths(rng, (5, 7), dtype), sixteenths(rng, (7, 6), dtype)
    exact = a.double() @ b.double() if semiring == "plus-times" else tropical(a.double(), b.double(), semiring)
    result = front.matmul(a, b, semiring, engine=engine, **SMALL)
    assert result.dtype == dtype
    assert torch.equal(result, exact.to(dtype))


@pytest.mark.parametrize("exponent", [-1000, -300, 0, 300, 1000])
def test_powers_of_two_of_any_size_are_scaled_away(rng, exponent):
    a, b = integers(rng, (3, 4)).double(), integers(rng, (4, 5)).double()
    scaled = torch.from_numpy(np.ldexp(a.numpy(), exponent))
    expected = torch.from_numpy(np.ldexp((a @ b).numpy(), exponent))
    assert torch.equal(front.matmul(scaled, b, engine="golden"), expected)
    expected = torch.from_numpy(np.ldexp(tropical(a, b, "min-plus").numpy(), exponent))
    b_scaled = torch.from_numpy(np.ldexp(b.numpy(), exponent))
    assert torch.equal(front.matmul(scaled, b_scaled, "min-plus", engine="golden"), expected)


@pytest.mark.parametrize(
    ("semiring", "a", "b"),
    [
        ("plus-times", 127.0, 127.0), ("plus-times", -127.0, 127.0),
        ("min-plus", 63.0, 63.0), ("min-plus", -125.0, 0.0), ("min-plus", 1.0, 125.0),
        ("max-plus", 64.0, 63.0), ("max-plus", -64.0, -63.0),
    ],
)  # fmt: skip
def test_bounds_of_exactness_are_reached(engine, semiring, a, b):
    # The ones need a step of 1, so a larger one would show.
    left, right = torch.tensor([[a], [1.0]]), torch.tensor([[b, 1.0]])
    result = front.matmul(left, right, semiring, engine=engine, width=8, **SMALL)
    exact = left @ right if semiring == "plus-times" else tropical(left, right, semiring)
    assert torch.equal(result, exact)


@pytest.mark.parametrize("semiring", ["plus-times", *TROPICAL])
def test_quantisation_error_is_within_half_a_step(rng, semiring):
    a, b = (torch.from_numpy(rng.normal(size=shape)) for shape in ((9, 20), (20, 8)))
    result = front.matmul(a, b, semiring, engine="golden")
    if semiring == "plus-times":
        step = [float(x.abs().max()) / 2**14 for x in (a, b)]  # the scale is at least half of what would fill the width
        bound = 20 * (step[0] * float(b.abs().max()) + step[1] * float(a.abs().max()) + step[0] * step[1])
        assert (result - a @ b).abs().max() < bound
    else:
        step = float(a.abs().max() + b.abs().max()) / 2**14
        assert 0 < (result - tropical(a, b, semiring)).abs().max() <= step


@pytest.mark.parametrize("semiring", TROPICAL)
def test_infinities_pass_through(engine, semiring):
    none = infinity(semiring)
    a = torch.tensor([[none, 0.5, 2.0], [none, none, none]])
    b = torch.tensor([[1.0, none], [2.0, none], [none, none]])
    result = front.matmul(a, b, semiring, engine=engine, **SMALL)
    assert torch.equal(result, torch.tensor([[2.5, none], [none, none]]))


@pytest.mark.parametrize(
    "shapes",
    [
        ((7,), (7,)), ((7,), (7, 6)), ((5, 7), (7,)), ((3, 5, 7), (7, 6)), ((5, 7), (3, 7, 6)), ((3, 1, 5, 7), (2, 7, 6)),
        ((3, 5, 7), (7,)), ((7,), (3, 7, 6)), ((0, 7), (7, 6)), ((5, 0), (0, 6)), ((0,), (0,)), ((0, 5, 7), (7, 6)),
        ((2, 5, 7), (2, 7, 0)), ((5, 7), (0, 7, 6)),
    ],
    ids=str,
)  # fmt: skip
def test_shapes_are_those_of_torch_matmul(rng, engine, shapes):
    a, b = (integers(rng, shape) for shape in shapes)
    result = front.matmul(a, b, engine=engine, **SMALL)
    assert result.shape == torch.matmul(a, b).shape
    assert torch.equal(result, torch.matmul(a, b))
    assert torch.equal(front.matmul(a.double(), b.double(), engine=engine, **SMALL), torch.matmul(a, b).double())


@pytest.mark.parametrize("semiring", TROPICAL)
def test_empty_tropical_product_is_infinite(semiring):
    assert torch.equal(
        front.matmul(torch.ones(2, 0), torch.ones(0, 3), semiring, engine="golden"), torch.full((2, 3), infinity(semiring))
    )


def test_any_strides_do(rng, engine):
    a = sixteenths(rng, (8, 14))
    for left in (a.T[:7].T, a[:, ::2], a[::3, 1:8], a[0, :7].expand(5, 7), a.flip(0)[:, 7:]):
        right = sixteenths(rng, (6, 7)).T
        assert torch.equal(front.matmul(left, right, engine=engine, **SMALL), left @ right)
    complex_ = torch.complex(a, a)
    imaginary = complex_.conj().imag  # a view that is negated when it is read
    assert torch.equal(front.matmul(imaginary, imaginary.T, engine="golden"), a @ a.T)


@pytest.mark.simulator
@pytest.mark.parametrize("semiring", ["plus-times", *TROPICAL])
def test_engines_agree_on_any_floats(rng, semiring):
    a, b = (torch.from_numpy(rng.normal(size=shape)).float() for shape in ((2, 9, 20), (20, 8)))
    results = [front.matmul(a, b, semiring, engine=engine, **SMALL) for engine in ("rtl", "golden")]
    assert torch.equal(*results)


@pytest.mark.parametrize(
    ("a", "b", "settings", "telling"),
    [
        ([[math.nan]], [[1.0]], {}, "a holds nan, and plus-times takes finite values"),
        ([[1.0]], [[math.inf]], {}, "b holds inf, and plus-times takes finite values"),
        ([[1.0]], [[math.nan]], {"semiring": "min-plus"}, r"b holds nan, and min-plus takes finite values and \+inf"),
        ([[-math.inf]], [[1.0]], {"semiring": "min-plus"}, r"a holds -inf, and min-plus takes finite values and \+inf"),
        ([[math.inf]], [[1.0]], {"semiring": "max-plus"}, "a holds inf, and max-plus takes finite values and -inf"),
        ([[40000]], [[1]], {}, "a holds 40000, which does not fit 16 bits"),
        ([[-(2**31)] * 2], [[-(2**31)]] * 2, {"width": 32}, "sums of 2 products may reach .* does not fit 64 bits"),
        ([[1]], [[1.0]], {}, "of one floating-point dtype, not torch.int64 and torch.float32"),
        ([[1j]], [[1.0]], {}, "a must hold integers or floats, not torch.complex64"),
        (1.0, [1.0], {}, "one dimension or more, not scalars"),
        ([[1.0, 2.0]], [[1.0]], {}, r"shapes \(1, 2\) and \(1, 1\) do not match: the inner sizes are 2 and 1"),
        ([[[1.0]]] * 2, [[[1.0]]] * 3, {}, "the stacks do not broadcast"),
        ([[1.0]], [[1.0]], {"semiring": "max-times"}, "semiring must be one of"),
        ([[1.0]], [[1.0]], {"engine": "fpga"}, "engine must be rtl or golden, not 'fpga'"),
        ([[1.0]], [[1.0]], {"width": 33}, "width must be"),
        ([[1.0]], [[1.0]], {"rows": 0}, "rows must be"),
        ([[1.0]], [[1.0]], {"cols": "8"}, "cols must be an integer, not '8'"),
    ],
)
def test_unusable_operands_give_one_sentence(a, b, settings, telling):
    with pytest.raises(BadInput, match=telling):
        front.matmul(torch.tensor(a), torch.tensor(b), **{"engine": "golden", **settings})


def test_sparse_tensors_are_refused():
    with pytest.raises(BadInput, match=r"a must be a dense CPU tensor, not torch.sparse_coo on cpu"):
        front.matmul(torch.ones(2, 2).to_sparse(), torch.ones(2, 2))


# Gradients


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 2)), ((2, 3, 4), (4, 2)), ((3, 4), (2, 1, 4, 2)), ((4,), (4,)), ((4,), (4, 2))], ids=str
)
def test_gradients_equal_numerical_differences(rng, engine, shapes):
    a, b = (sixteenths(rng, shape).requires_grad_() for shape in shapes)
    # A bilinear function has exact differences, and with a step of 1/16 all values here are exact: no tolerance.
    assert torch.autograd.gradcheck(
        lambda a, b: front.matmul(a, b, engine=engine, **SMALL), (a, b), eps=1 / 16, atol=0, rtol=0, nondet_tol=0
    )


def test_second_derivatives_equal_numerical_differences(rng):
    a, b = sixteenths(rng, (2, 3)).requires_grad_(), sixteenths(rng, (3, 2)).requires_grad_()
    grad = sixteenths(rng, (2, 2)).requires_grad_()
    function = lambda a, b: front.matmul(a, b, engine="golden")  # noqa: E731
    assert torch.autograd.gradgradcheck(function, (a, b), grad, eps=1 / 16, atol=0, rtol=0)


def test_gradients_of_expanded_operands_are_summed(rng, engine):
    row, b = sixteenths(rng, (7,)).requires_grad_(), sixteenths(rng, (7, 3)).requires_grad_()
    grad = sixteenths(rng, (5, 3))
    ours = torch.autograd.grad(front.matmul(row.expand(5, 7), b, engine=engine, **SMALL), (row, b), grad)
    theirs = torch.autograd.grad(row.expand(5, 7) @ b, (row, b), grad)
    assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))


def by_loops(a, b, grad, semiring):
    """Gradients of a tropical product of matrices, as the definition says."""
    grad_a, grad_b = torch.zeros_like(a), torch.zeros_like(b)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            best, winner = infinity(semiring), None
            for k in range(a.shape[1]):
                term = float(a[i, k] + b[k, j])
                if term < best if semiring == "min-plus" else term > best:
                    best, winner = term, k
            if winner is not None:
                grad_a[i, winner] += grad[i, j]
                grad_b[winner, j] += grad[i, j]
    return grad_a, grad_b


@pytest.mark.parametrize("semiring", TROPICAL)
def test_tropical_gradient_goes_to_the_lowest_winner(rng, engine, semiring):
    a, b = integers(rng, (6, 9), 2).double(), integers(rng, (9, 5), 2).double()  # five values: many ties
    a[rng.random(a.shape) < 0.3] = infinity(semiring)
    a[4] = infinity(semiring)
    grad = sixteenths(rng, (6, 5))
    expected = by_loops(a, b, grad, semiring)
    a.requires_grad_()
    b.requires_grad_()
    result = front.matmul(a, b, semiring, engine=engine, **SMALL)
    assert torch.isinf(result[4]).all()
    for ours, theirs in zip(torch.autograd.grad(result, (a, b), grad), expected, strict=True):
        assert torch.equal(ours, theirs)


def test_tie_by_hand():
    a = torch.tensor([[1.0, 0.0, 2.0]], requires_grad=True)
    b = torch.tensor([[1.0], [2.0], [0.0]], requires_grad=True)
    front.matmul(a, b, "max-plus", engine="golden").backward()
    assert a.grad.tolist() == [[1.0, 0.0, 0.0]]
    assert b.grad.tolist() == [[1.0], [0.0], [0.0]]


@pytest.mark.parametrize("semiring", TROPICAL)
def test_tropical_gradients_of_stacks_are_summed_back(rng, semiring):
    a, b = sixteenths(rng, (2, 1, 3, 4)), sixteenths(rng, (3, 4, 2))
    grad = sixteenths(rng, (2, 3, 3, 2))
    expected_a, expected_b = torch.zeros_like(a), torch.zeros_like(b)
    for i in range(2):
        for j in range(3):
            part_a, part_b = by_loops(a[i, 0], b[j], grad[i, j], semiring)
            expected_a[i, 0] += part_a
            expected_b[j] += part_b
    a.requires_grad_()
    b.requires_grad_()
    ours = torch.autograd.grad(front.matmul(a, b, semiring, engine="golden"), (a, b), grad)
    assert torch.equal(ours[0], expected_a)
    assert torch.equal(ours[1], expected_b)


@pytest.mark.parametrize("semiring", TROPICAL)
def test_winners_do_not_depend_on_the_block_they_are_looked_for_in(rng, semiring, monkeypatch):
    a, b = integers(rng, (5, 4), 3).double(), integers(rng, (4, 3), 3).double()
    whole = front._winners(a, b, semiring, 16)
    monkeypatch.setattr(front, "_BLOCK_ELEMENTS", 24)
    assert torch.equal(front._winners(a, b, semiring, 16), whole)


@pytest.mark.parametrize("semiring", ["plus-times", *TROPICAL])
def test_gradients_of_empty_products_are_empty_or_zero(semiring):
    for n, k, m in ((0, 3, 2), (2, 0, 3), (2, 3, 0)):
        a, b = torch.ones(n, k, requires_grad=True), torch.ones(k, m, requires_grad=True)
        front.matmul(a, b, semiring, engine="golden").sum().backward()
        assert torch.equal(a.grad, torch.zeros(n, k))
        assert torch.equal(b.grad, torch.zeros(k, m))


def test_operators_keep_the_rules_of_torch_library(rng):
    a, b = sixteenths(rng, (2, 3, 4)).requires_grad_(), sixteenths(rng, (4, 2)).requires_grad_()
    for semiring in ("plus-times", *TROPICAL):
        torch.library.opcheck(front._product, (a, b, semiring, "golden", 4, 4, 16))
    x, weight = sixteenths(rng, (2, 3, 4)).requires_grad_(), sixteenths(rng, (5, 4)).requires_grad_()
    low, high = torch.tensor(-1.0), torch.tensor(2.0)
    torch.library.opcheck(front._int8_linear, (x, weight, low, high, True, "golden", 4, 4))


# Linear


def int8_by_hand(x, weight, bias, low, high, *, per_channel):
    """The layer once more, with PyTorch's own integers."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = high / 255 - low / 255
    zero_point = int(torch.round(torch.tensor(-128 - low / scale, dtype=torch.float64)))
    q_x = (torch.round(x.double() / scale).long() + zero_point).clamp(-128, 127)
    largest = weight.double().abs().amax(1) if per_channel else weight.double().abs().amax().expand(weight.shape[0])
    weight_scale = largest / 127
    q_w = torch.round(weight.double() / weight_scale[:, None]).long()
    assert q_w.abs().max() == 127
    exact = (q_x - zero_point) @ q_w.T
    return (exact.double() * (scale * weight_scale)).to(x.dtype) + bias


@pytest.mark.parametrize("per_channel", [True, False], ids=["per channel", "per tensor"])
@pytest.mark.parametrize("calibrated", [True, False], ids=["calibrated", "on the fly"])
@pytest.mark.parametrize("shape", [(20,), (6, 20), (2, 3, 20)], ids=str)
def test_linear_equals_integers_by_hand(rng, engine, per_channel, calibrated, shape):
    layer = front.Linear(20, 7, per_channel=per_channel, engine=engine, **SMALL)
    x = torch.from_numpy(rng.normal(0.3, 1, shape)).float()
    low, high = float(x.min()), float(x.max())
    if calibrated:
        low, high = -1.0, 1.5  # some values of x are clipped
        with front.calibrate(layer):
            layer(torch.full((20,), low))
            layer(torch.full((1, 20), high))
    expected = int8_by_hand(x, layer.weight, layer.bias, low, high, per_channel=per_channel)
    assert torch.equal(layer(x), expected)


def test_linear_is_near_the_float_layer_and_exact_at_zero(rng):
    reference = torch.nn.Linear(30, 5)
    layer = front.convert(reference, engine="golden")
    x = torch.from_numpy(rng.normal(size=(50, 30))).float()
    assert (layer(x) - reference(x)).abs().max() < 0.05
    assert torch.equal(layer(torch.zeros(2, 30)), reference.bias.expand(2, 5))
    assert layer(torch.zeros(0, 30)).shape == (0, 5)


def test_weights_of_zero_give_the_bias():
    layer = front.Linear(3, 2, engine="golden")
    torch.nn.init.zeros_(layer.weight)
    assert torch.equal(layer(torch.ones(3)), layer.bias)


def test_linear_trains_by_straight_through_gradients(rng, engine):
    layer = front.Linear(6, 5, engine=engine, **SMALL).double()
    layer.weight.data = sixteenths(rng, (5, 6))
    x, grad = sixteenths(rng, (2, 3, 6)).requires_grad_(), sixteenths(rng, (2, 3, 5))
    ours = torch.autograd.grad(layer(x), (x, layer.weight, layer.bias), grad)
    theirs = torch.autograd.grad(torch.nn.functional.linear(x, layer.weight, layer.bias), (x, layer.weight, layer.bias), grad)
    assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))


@pytest.mark.simulator
def test_engines_train_alike(rng):
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    x = torch.from_numpy(rng.normal(size=(10, 6))).float()
    ends = []
    for engine in ("rtl", "golden"):
        copy = front.convert(model, engine=engine, **SMALL)
        optimiser = torch.optim.SGD(copy.parameters(), 0.1)
        for _ in range(3):
            optimiser.zero_grad()
            copy(x).square().mean().backward()
            optimiser.step()
        ends.append([parameter.detach() for parameter in copy.parameters()])
    assert all(torch.equal(*pair) for pair in zip(*ends, strict=True))
    assert not torch.equal(ends[0][0], model[0].weight)


def test_calibration_starts_afresh_counts_all_inputs_and_is_saved(rng):
    layer = front.Linear(2, 2, engine="golden")
    for values in ([-9.0, 9.0], [-1.0, 2.0]):
        with front.calibrate(layer):
            x = torch.tensor([values])
            assert torch.equal(layer(x), torch.nn.functional.linear(x, layer.weight, layer.bias))
            layer(torch.zeros(0, 2))
            layer(x / 2)
    assert (layer.input_low.item(), layer.input_high.item()) == (-1.0, 2.0)
    other = front.Linear(2, 2, engine="golden")
    other.load_state_dict(layer.state_dict())
    x = torch.from_numpy(rng.normal(size=(4, 2))).float()
    assert torch.equal(other(x), layer(x))


def test_calibration_ends_when_the_model_fails():
    layer = front.Linear(2, 2, engine="golden")
    with pytest.raises(BadInput), front.calibrate(layer):
        layer(torch.ones(3))
    assert not layer.observing


@pytest.mark.parametrize(
    ("make", "telling"),
    [
        (lambda: front.Linear(2, 2, engine="fpga"), "engine must be rtl or golden, not 'fpga'"),
        (lambda: front.Linear(0, 2), "1 input and 1 output or more, not 0 and 2"),
        (lambda: front.Linear(2, 2, rows=300), "rows must be"),
        (lambda: front.Linear(2, 2)(torch.ones(3)), r"of 2 inputs cannot take a tensor of shape \(3,\)"),
        (lambda: front.Linear(2, 2)(torch.ones(2).double()), "not torch.float64 and torch.float32"),
        (lambda: front.Linear(2, 2)(torch.tensor([1.0, math.nan])), "the input of a linear layer holds nan"),
    ],
)
def test_unusable_layers_and_inputs_give_one_sentence(make, telling):
    with pytest.raises(BadInput, match=telling):
        make()


def test_weights_and_ranges_that_are_not_finite_are_refused():
    layer = front.Linear(2, 2, engine="golden")
    with front.calibrate(layer):
        layer(torch.tensor([1.0, math.inf]))
    with pytest.raises(BadInput, match=r"calibrated to the range from 1\.0 to inf: calibrate it with finite values"):
        layer(torch.ones(2))
    torch.nn.init.constant_(layer.weight, math.inf)
    with pytest.raises(BadInput, match="the weight of a linear layer holds inf"):
        layer(torch.ones(2))


# convert


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 4, bias=False)
        self.block = torch.nn.ModuleDict({"deep": torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())})
        self.again = self.block["deep"][0]
        self.tied = torch.nn.Linear(4, 4, bias=False)
        self.tied.weight = self.first.weight
        self.special = type("Special", (torch.nn.Linear,), {})(4, 4)

    def forward(self, x):
        return self.special(self.tied(self.again(self.block["deep"](self.first(x)))))


def test_convert_replaces_nested_layers_and_keeps_weights_biases_and_sharing():
    model = Net().eval()
    state = torch.random.get_rng_state()
    converted = front.convert(model, per_channel=False, engine="golden", rows=3, cols=5)
    assert torch.equal(torch.random.get_rng_state(), state)
    deep = converted.block["deep"][0]
    for layer in (converted.first, deep, converted.tied):
        assert type(layer) is front.Linear
        assert (layer.per_channel, layer.engine, layer.rows, layer.cols, layer.training) == (False, "golden", 3, 5, False)
    assert converted.first.bias is None
    assert torch.equal(deep.bias, model.block["deep"][0].bias)
    assert deep.bias is not model.block["deep"][0].bias
    assert converted.again is deep
    assert converted.tied.weight is converted.first.weight
    assert isinstance(converted.special, torch.nn.Linear)
    assert type(model.first) is torch.nn.Linear
    names = {name for name in converted.state_dict() if not name.endswith(("input_low", "input_high"))}
    assert names == set(model.state_dict())
    assert (converted(torch.ones(2, 4)) - model(torch.ones(2, 4))).abs().max() < 0.1
    assert "in_features=4, out_features=4, bias=False, per_channel=False, engine='golden', rows=3, cols=5" in repr(converted)


def test_convert_takes_a_layer_itself_and_refuses_unknown_options():
    assert type(front.convert(torch.nn.Linear(2, 3))) is front.Linear
    with pytest.raises(TypeError, match="widht"):
        front.convert(torch.nn.Linear(2, 3), widht=4)


# Compiled graphs, accounts, absence


@pytest.mark.parametrize("semiring", ["plus-times", *TROPICAL])
def test_compiled_graphs_contain_products_without_a_break(rng, semiring):
    torch.compiler.reset()

    def function(a, b):
        return front.matmul(a * 2, b, semiring, engine="golden") + 1

    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    results = []
    for run in (function, compiled):
        a, b = (sixteenths(np.random.default_rng(7), shape).requires_grad_() for shape in ((3, 4), (4, 5)))
        result = run(a, b)
        results.append((result, *torch.autograd.grad(result.square().sum(), (a, b))))
    assert all(torch.equal(*pair) for pair in zip(*results, strict=True))


@pytest.mark.simulator
def test_compiled_graphs_contain_layers_without_a_break(rng):
    torch.compiler.reset()
    model = front.convert(torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 2)), **SMALL)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    x = torch.from_numpy(rng.normal(size=(5, 4))).float()
    gradients = []
    for run in (model, compiled):
        model.zero_grad()
        result = run(x)
        result.sum().backward()
        gradients.append([result, *(parameter.grad for parameter in model.parameters())])
    assert all(torch.equal(*pair) for pair in zip(*gradients, strict=True))


def test_session_counts_tiles_and_cycles_of_both_passes(tools):
    a, b = torch.ones(8, 5, requires_grad=True), torch.ones(5, 3, requires_grad=True)
    with front.session(tools) as outer:
        result = front.matmul(a, b, **SMALL)
        with front.session() as inner:
            assert inner.tools is tools
            result.sum().backward()
            front.matmul(a, b, engine="golden")
    assert inner.tiles == 2 * 2 + 2 * 1  # (8, 3) @ (3, 5), (5, 8) @ (8, 3)
    assert outer.tiles == inner.tiles + 2
    assert outer.cycles > inner.cycles > inner.tiles * 3
    front.matmul(a, b, **SMALL)
    assert outer.tiles == inner.tiles + 2


def test_missing_torch_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "trme.torch")
    with pytest.raises(
        ToolMissing, match=r"^PyTorch is not installed: make setup EXTRAS=torch, or pip install 'trme-workbench\[torch\]'$"
    ):
        __import__("trme.torch")


def test_listing_commands_does_not_import_torch():
    code = (
        "import sys; from trme.cli import main\n"
        "for words in (['list'], ['run', '--help'], ['run', 'digits', '--help']): main(words)\n"
        "sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "digits" in done.stdout


def test_examples_in_docstrings_run():
    import doctest

    assert doctest.testmod(front).failed == 0
