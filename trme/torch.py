# SPDX-License-Identifier: Apache-2.0
"""PyTorch at the front door: matrix products over a semiring and int8 linear layers, on the RTL or on the golden model.

Products are `torch.library` operators, ``trme::matmul`` and ``trme::int8_linear``, with gradients and shape functions, so
graphs of `torch.compile` contain them without a break. Floats are quantised here; the array only ever sees integers.

References
----------
B. Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only inference" (2018),
section 2, for the affine scheme of `Linear`; Y. Bengio et al., "Estimating or propagating gradients through stochastic
neurons" (2013), for straight-through gradients.
"""

import copy
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from golden.semiring import Tropical
from golden.systolic import SystolicParams
from toolchain.errors import BadInput, ToolMissing
from toolchain.verilator import Tools
from trme import products

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":  # a broken installation tells its own story
        raise
    raise ToolMissing("PyTorch is not installed: make setup EXTRAS=torch, or pip install 'trme-workbench[torch]'") from None

__all__ = ["Linear", "Session", "calibrate", "convert", "matmul", "session"]

_BACKWARD_WIDTH = 16  # bits of both operands of a Linear's backward products
_BLOCK_ELEMENTS = 1 << 22  # sums held at once when winners are looked for, 32 MiB
_INFINITY = {"min-plus": math.inf, "max-plus": -math.inf, "plus-times": math.nan}  # nan: equal to nothing


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    semiring: str = "plus-times",
    *,
    engine: str = "rtl",
    rows: int = 8,
    cols: int = 8,
    width: int = 16,
) -> torch.Tensor:
    """``a @ b`` over a semiring, differentiable; shapes as `torch.matmul` has them: vectors, matrices, stacks that broadcast.

    Integers are multiplied as they are. Floats are quantised to integers of ``width`` bits by powers of two: each operand
    by its own in plus-times, both by a common one in the tropical semirings, chosen as large as operands and sums fit.
    So the result is exact, up to rounding into the result's dtype, where

    - in plus-times, each operand holds integers of magnitude up to 2**(width-1) - 1, times a power of two;
    - in a tropical semiring, both hold integers times one power of two, and the largest finite magnitudes of a and b add up
      to at most 2**(width-1) - 2.

    Gradients in plus-times are ``grad @ b.mT`` and ``a.mT @ grad``, computed by the same array and quantised in the same way.
    In a tropical semiring the gradient goes to the operands of the term that won, the lowest k of equals, and an infinite
    result passes none on. The hardware does not say which term won, so the winner is computed again from the quantised
    operands, on the host and not on the array.

    Parameters
    ----------
    a, b : CPU tensors of any strides, both of integers, or both of one floating-point dtype
        Integers must fit ``width`` bits, and sums of products 64. In a tropical semiring the code `SystolicParams.zero` is
        infinity among integers, whose sums saturate; floats may hold the semiring's infinity.
    semiring : {"plus-times", "min-plus", "max-plus"}
    engine : {"rtl", "golden"}
        The systolic array's RTL in tiles, or the golden model; the results are equal, bit for bit.
    rows, cols, width : int
        Of the array, as in `golden.systolic.SystolicParams`.

    Returns
    -------
    int64 tensor, or one of the operands' floating-point dtype

    Raises
    ------
    BadInput
        If a value, shape, dtype or parameter cannot be used, among them nan and an infinity that is not the semiring's.

    Examples
    --------
    >>> import torch
    >>> import trme.torch
    >>> trme.torch.matmul(torch.tensor([[0.5, 3.0]]), torch.tensor([[5.0], [1.0]]), "min-plus", engine="golden")
    tensor([[4.]])
    """
    _check_dtypes(a, b)
    for name, number in (("rows", rows), ("cols", cols), ("width", width)):
        if not isinstance(number, int):
            raise BadInput(f"{name} must be an integer, not {number!r}")
    if a.dim() == 0 or b.dim() == 0:
        raise BadInput("a matrix product needs operands of one dimension or more, not scalars")
    # A vector is a matrix of one row on the left, of one column on the right, and the result loses that dimension.
    left = a.unsqueeze(0) if a.dim() == 1 else a
    right = b.unsqueeze(-1) if b.dim() == 1 else b
    if left.shape[-1] != right.shape[-2]:
        raise BadInput(
            f"shapes {tuple(a.shape)} and {tuple(b.shape)} do not match: "
            f"the inner sizes are {left.shape[-1]} and {right.shape[-2]}"
        )
    pairs = zip(reversed(left.shape[:-2]), reversed(right.shape[:-2]), strict=False)  # the shorter one is broadcast
    if not all(one == other or one == 1 or other == 1 for one, other in pairs):
        raise BadInput(f"shapes {tuple(a.shape)} and {tuple(b.shape)} do not match: the stacks do not broadcast")
    result = _product(left, right, semiring, engine, rows, cols, width)
    if b.dim() == 1:
        result = result.squeeze(-1)
    if a.dim() == 1:
        result = result.squeeze(-1 if b.dim() == 1 else -2)
    return result


# Accounts


@dataclass
class Session:
    """What products have taken on the RTL since `session` began; the golden model adds nothing."""

    cycles: int = 0
    tiles: int = 0
    tools: Tools | None = None


_sessions: list[Session] = []
_sessions_lock = threading.Lock()  # autograd may run in threads of its own


@contextmanager
def session(tools: Tools | None = None) -> Iterator[Session]:
    """Count the clock cycles and tiles of all products within, forward and backward.

    Parameters
    ----------
    tools : Tools, optional
        Verilator and compiler for products within. Default: those of the session around, else what this machine has.

    Examples
    --------
    >>> import torch
    >>> import trme.torch
    >>> with trme.torch.session() as spent:
    ...     product = trme.torch.matmul(torch.ones(3), torch.ones(3), engine="golden")
    >>> spent.cycles
    0
    """
    with _sessions_lock:
        opened = Session(tools=tools or (_sessions[-1].tools if _sessions else None))
        _sessions.append(opened)
    try:
        yield opened
    finally:
        with _sessions_lock:
            # By identity: sessions that have counted the same are equal.
            _sessions[:] = [other for other in _sessions if other is not opened]


def _integer_product(a: np.ndarray, b: np.ndarray, params: SystolicParams, engine: str) -> np.ndarray:
    """The product of integer arrays, entered in the accounts."""
    k = a.shape[-1]
    if params.semiring == "plus-times" and k and params.algebra.result_width(params.width, k) > 64:
        largest = k * _magnitude(a) * _magnitude(b)
        if largest >= 1 << 63:
            raise BadInput(
                f"sums of {k} products may reach {largest}, which does not fit 64 bits: use a smaller width or values"
            )
    tools = _sessions[-1].tools if _sessions else None
    size = {"rows": params.rows, "cols": params.cols, "width": params.width}
    result, taken = products.matmul(a, b, params.semiring, engine=engine, **size, stats=True, tools=tools)
    with _sessions_lock:
        for opened in _sessions:
            opened.cycles += taken.cycles
            opened.tiles += taken.tiles
    return result


def _magnitude(x: np.ndarray) -> int:
    return max(-int(x.min()), int(x.max())) if x.size else 0


# Checks and quantisation


def _check_dtypes(a: torch.Tensor, b: torch.Tensor) -> None:
    for name, operand in (("a", a), ("b", b)):
        if operand.device.type not in ("cpu", "meta") or operand.layout != torch.strided:
            raise BadInput(f"{name} must be a dense CPU tensor, not {operand.layout} on {operand.device.type}")
        if operand.dtype.is_complex:
            raise BadInput(f"{name} must hold integers or floats, not {operand.dtype}")
    if (a.dtype.is_floating_point or b.dtype.is_floating_point) and a.dtype != b.dtype:
        raise BadInput(f"a and b must both hold integers or be of one floating-point dtype, not {a.dtype} and {b.dtype}")


def _params(semiring: str, rows: int, cols: int, width: int) -> SystolicParams:
    try:
        # A depth that every width may have; products.matmul chooses the one that is built.
        return SystolicParams(rows=rows, cols=cols, semiring=semiring, width=width, depth=1)
    except (TypeError, ValueError) as error:
        raise BadInput(str(error)) from error


def _array(x: torch.Tensor) -> np.ndarray:
    """The values, floats as float64, which holds those of every other floating-point dtype exactly."""
    x = x.detach().resolve_neg()
    return (x.to(torch.float64) if x.dtype.is_floating_point else x).numpy()


def _exponent(magnitudes: list[float], limit: int, width: int) -> int:
    """The largest e for which the magnitudes, times 2**e and rounded, add up to at most ``limit``, below 2**(width-1)."""
    largest = max(magnitudes)
    if largest == 0:
        return 0
    exponent = width - math.frexp(largest)[1]  # the largest alone would be 2**(width-1) or more
    while sum(round(math.ldexp(magnitude, exponent)) for magnitude in magnitudes) > limit:
        exponent -= 1
    return exponent


def _quantised(a: np.ndarray, b: np.ndarray, params: SystolicParams) -> tuple[np.ndarray, np.ndarray, int]:
    """Codes of float64 operands, infinities as the semiring's zero, and e: results are integers times 2**-e."""
    infinity = _INFINITY[params.semiring]
    magnitudes = []
    for name, x in (("a", a), ("b", b)):
        unusable = ~(np.isfinite(x) | (x == infinity))
        if unusable.any():
            allowed = "finite values" if math.isnan(infinity) else f"finite values and {infinity:+}"
            raise BadInput(f"{name} holds {x[unusable][0]}, and {params.semiring} takes {allowed}")
        magnitudes.append(float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    if isinstance(params.algebra, Tropical):
        low, high = params.algebra.finite(params.width)
        exponents = [_exponent(magnitudes, min(-low, high), params.width)] * 2
        result_exponent = exponents[0]
    else:
        exponents = [_exponent([magnitude], (1 << params.width - 1) - 1, params.width) for magnitude in magnitudes]
        result_exponent = sum(exponents)
    codes = [
        np.where(np.isfinite(x), np.rint(np.ldexp(x, exponent)), params.zero).astype(np.int64)
        for x, exponent in zip((a, b), exponents, strict=True)
    ]
    return codes[0], codes[1], result_exponent


# The operator trme::matmul


@torch.library.custom_op("trme::matmul", mutates_args=())
def _product(
    a: torch.Tensor, b: torch.Tensor, semiring: str, engine: str, rows: int, cols: int, width: int
) -> torch.Tensor:  # fmt: skip
    """`matmul` of operands of two dimensions or more."""
    params = _params(semiring, rows, cols, width)
    if not a.dtype.is_floating_point:
        return torch.from_numpy(np.ascontiguousarray(_integer_product(_array(a), _array(b), params, engine)))
    a_codes, b_codes, exponent = _quantised(_array(a), _array(b), params)
    codes = _integer_product(a_codes, b_codes, params, engine)
    with np.errstate(over="ignore"):  # too large for float64 is infinite, as in torch.matmul
        values = np.ldexp(codes.astype(np.float64), -exponent)
    if isinstance(params.algebra, Tropical):
        values = np.where(codes == params.zero, _INFINITY[semiring], values)
    return torch.from_numpy(np.ascontiguousarray(values)).to(a.dtype)


@_product.register_fake
def _product_shape(a, b, semiring, engine, rows, cols, width):
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    dtype = a.dtype if a.dtype.is_floating_point else torch.int64
    return a.new_empty((*batch, a.shape[-2], b.shape[-1]), dtype=dtype)


def _save_product(ctx, inputs, output):
    a, b, *ctx.settings = inputs
    ctx.save_for_backward(a, b)


def _product_backward(ctx, grad):
    a, b = ctx.saved_tensors
    semiring, width = ctx.settings[0], ctx.settings[-1]
    needs_a, needs_b = ctx.needs_input_grad[:2]
    grad_a = grad_b = None
    if semiring == "plus-times":
        grad_a = _product(grad, b.mT, *ctx.settings) if needs_a else None
        grad_b = _product(a.mT, grad, *ctx.settings) if needs_b else None
    elif a.shape[-1] == 0:
        grad_a, grad_b = torch.zeros_like(a), torch.zeros_like(b)
    else:
        winners = _winners(a, b, semiring, width)
        passed = torch.where(winners >= 0, grad, 0.0)
        index = winners.clamp(min=0)
        *batch, n, m = winners.shape
        grad_a = grad.new_zeros((*batch, n, a.shape[-1])).scatter_add(-1, index, passed) if needs_a else None
        grad_b = grad.new_zeros((*batch, b.shape[-2], m)).scatter_add(-2, index, passed) if needs_b else None
    grad_a = None if grad_a is None else grad_a.sum_to_size(a.shape)
    grad_b = None if grad_b is None else grad_b.sum_to_size(b.shape)
    return grad_a, grad_b, *[None] * len(ctx.settings)


_product.register_autograd(_product_backward, setup_context=_save_product)


@torch.library.custom_op("trme::winners", mutates_args=())
def _winners(a: torch.Tensor, b: torch.Tensor, semiring: str, width: int) -> torch.Tensor:
    """The lowest k whose term is a tropical product's result, -1 where that is infinite; int64."""
    params = _params(semiring, 1, 1, width)
    a_codes, b_codes, _ = _quantised(_array(a), _array(b), params)
    batch = np.broadcast_shapes(a_codes.shape[:-2], b_codes.shape[:-2])
    n, k, m = *a_codes.shape[-2:], b_codes.shape[-1]
    winners = np.empty((*batch, n, m), np.int64)
    if winners.size:
        lefts = np.broadcast_to(a_codes, (*batch, n, k)).reshape(-1, n, k)
        rights = np.broadcast_to(b_codes, (*batch, k, m)).reshape(-1, k, m)
        choose = np.argmin if semiring == "min-plus" else np.argmax  # both: the first of equals
        block = max(1, _BLOCK_ELEMENTS // (k * m))
        for left, right, chosen in zip(lefts, rights, winners.reshape(-1, n, m), strict=True):
            for start in range(0, n, block):
                terms = params.algebra.mul(left[start : start + block, :, None], right, width)
                best = choose(terms, axis=1)
                finite = np.take_along_axis(terms, best[:, None], axis=1)[:, 0] != params.zero
                chosen[start : start + block] = np.where(finite, best, -1)
    return torch.from_numpy(winners)


@_winners.register_fake
def _winners_shape(a, b, semiring, width):
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.new_empty((*batch, a.shape[-2], b.shape[-1]), dtype=torch.int64)


# The operator trme::int8_linear


@torch.library.custom_op("trme::int8_linear", mutates_args=())
def _int8_linear(
    x: torch.Tensor, weight: torch.Tensor, low: torch.Tensor, high: torch.Tensor,
    per_channel: bool, engine: str, rows: int, cols: int,
) -> torch.Tensor:  # fmt: skip
    """``x @ weight.T`` in int8, scaled back; an empty range, low above high, means that of ``x`` itself."""
    params = _params("plus-times", rows, cols, 8)
    values, weights = _array(x), _array(weight)
    for name, array in (("the input", values), ("the weight", weights)):
        if not np.isfinite(array).all():
            raise BadInput(f"{name} of a linear layer holds {array[~np.isfinite(array)][0]}, and int8 takes finite values")
    lowest, highest = float(low), float(high)
    if lowest > highest:
        lowest, highest = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        raise BadInput(
            f"a linear layer was calibrated to the range from {lowest} to {highest}: calibrate it with finite values"
        )
    lowest, highest = min(lowest, 0.0), max(highest, 0.0)  # so that 0 has a code, and exactly
    scale = (highest / 255 - lowest / 255) or 1.0
    zero_point = round(-128 - lowest / scale)
    codes = np.clip(np.rint(values / scale) + zero_point, -128, 127).astype(np.int64)
    largest = np.abs(weights).max(axis=1 if per_channel else None, initial=0.0)
    weight_scale = np.where(largest > 0, largest / 127, 1.0)
    weight_codes = np.rint(weights / weight_scale[..., None]).astype(np.int64)
    total = _integer_product(codes.reshape(-1, weights.shape[1]), weight_codes.T, params, engine)
    total = total - zero_point * weight_codes.sum(axis=1)
    result = total.reshape(*values.shape[:-1], weights.shape[0]) * (scale * weight_scale)
    return torch.from_numpy(np.ascontiguousarray(result)).to(x.dtype)


@_int8_linear.register_fake
def _int8_linear_shape(x, weight, low, high, per_channel, engine, rows, cols):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _save_int8_linear(ctx, inputs, output):
    x, weight = inputs[:2]
    ctx.settings = ("plus-times", *inputs[5:], _BACKWARD_WIDTH)
    ctx.save_for_backward(x, weight)


def _int8_linear_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    flat = grad.reshape(-1, weight.shape[0])
    grad_x = grad_weight = None
    if ctx.needs_input_grad[0]:
        grad_x = _product(flat, weight, *ctx.settings).reshape(x.shape)
    if ctx.needs_input_grad[1]:
        grad_weight = _product(flat.mT, x.reshape(-1, weight.shape[1]), *ctx.settings)
    return grad_x, grad_weight, *[None] * 6


_int8_linear.register_autograd(_int8_linear_backward, setup_context=_save_int8_linear)


class Linear(torch.nn.Module):
    """``x @ weight.T + bias`` in int8 on the array, for inference and training.

    Weights are symmetric, w = s_w q_w with q_w from -127 to 127; activations are affine, x = s_x (q_x - z) with q_x from -128
    to 127 and z such that 0 has a code. The array sums q_x q_w exactly, z times the sum of q_w is taken off in integers, and
    the result times s_x s_w, computed in float64, is rounded to the input's dtype before the bias is added. So both
    engines give equal results, bit for bit.

    The range of activations is what `calibrate` has seen; values outside are clipped to it. A layer that was never
    calibrated takes the range of each input as it comes. The range is kept in buffers, so state dicts hold it.

    Gradients are straight-through, as if nothing had been rounded or clipped: ``grad @ weight`` and ``grad.T @ x``, products of
    operands of 16 bits on the same array.

    Parameters
    ----------
    in_features, out_features : int
    bias : bool
    per_channel : bool
        A scale s_w for every output instead of one for all.
    engine : {"rtl", "golden"}
        Also an attribute that may be changed at any time.
    rows, cols : int
        Of the array, as in `golden.systolic.SystolicParams`.

    Attributes
    ----------
    weight : Parameter of shape (out_features, in_features)
    bias : Parameter of shape (out_features,), or None
    input_low, input_high : buffers of shape ()
        The calibrated range; inf and -inf before.

    Raises
    ------
    BadInput
        If a parameter cannot be used; in a call, if shapes do not match, dtypes differ, or a value is nan or infinite.
    """

    input_low: torch.Tensor
    input_high: torch.Tensor

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        per_channel: bool = True,
        engine: str = "rtl",
        rows: int = 8,
        cols: int = 8,
    ):
        super().__init__()
        if engine not in ("rtl", "golden"):
            raise BadInput(f"engine must be rtl or golden, not {engine!r}")
        if in_features < 1 or out_features < 1:
            raise BadInput(f"a linear layer has 1 input and 1 output or more, not {in_features} and {out_features}")
        _params("plus-times", rows, cols, 8)
        self.per_channel, self.engine, self.rows, self.cols = per_channel, engine, rows, cols
        self.observing = False
        self._adopt(torch.nn.Linear(in_features, out_features, bias))

    @classmethod
    def from_float(cls, linear: torch.nn.Linear, **options) -> "Linear":
        """A layer that shares the weight and bias of ``linear``; options as those of the class, by keyword."""
        with torch.random.fork_rng(devices=[]):  # the caller's random numbers do not pay for weights that are thrown away
            made = cls(1, 1, **options)
        made._adopt(linear)
        return made.train(linear.training)

    def _adopt(self, linear: torch.nn.Linear) -> None:
        self.out_features, self.in_features = linear.weight.shape
        self.weight, self.bias = linear.weight, linear.bias
        self.register_buffer("input_low", linear.weight.new_tensor(math.inf))
        self.register_buffer("input_high", linear.weight.new_tensor(-math.inf))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The layer's output for x of shape (..., in_features), in x's dtype; in float while it is being calibrated."""
        if x.dim() == 0 or x.shape[-1] != self.in_features:
            raise BadInput(f"a linear layer of {self.in_features} inputs cannot take a tensor of shape {tuple(x.shape)}")
        if x.dtype != self.weight.dtype or not x.dtype.is_floating_point:
            raise BadInput(f"input and weight must be of one floating-point dtype, not {x.dtype} and {self.weight.dtype}")
        if self.observing:
            return self._observed(x)
        settings = self.per_channel, self.engine, self.rows, self.cols
        result = _int8_linear(x, self.weight, self.input_low, self.input_high, *settings)
        return result if self.bias is None else result + self.bias

    def _observed(self, x: torch.Tensor) -> torch.Tensor:
        if x.numel():
            with torch.no_grad():
                self.input_low.copy_(torch.minimum(self.input_low, x.amin()))
                self.input_high.copy_(torch.maximum(self.input_high, x.amax()))
        return torch.nn.functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}, "
            f"per_channel={self.per_channel}, engine={self.engine!r}, rows={self.rows}, cols={self.cols}"
        )


@contextmanager
def calibrate(model: torch.nn.Module) -> Iterator[None]:
    """Let every `Linear` of the model observe the range of its inputs, afresh, and compute in float meanwhile.

    Examples
    --------
    >>> import torch
    >>> import trme.torch
    >>> layer = trme.torch.Linear(2, 1)
    >>> with trme.torch.calibrate(layer):
    ...     _ = layer(torch.tensor([-1.0, 3.0]))
    >>> layer.input_low.item(), layer.input_high.item()
    (-1.0, 3.0)
    """
    layers = [module for module in model.modules() if isinstance(module, Linear)]
    for layer in layers:
        layer.input_low.fill_(math.inf)
        layer.input_high.fill_(-math.inf)
        layer.observing = True
    try:
        yield
    finally:
        for layer in layers:
            layer.observing = False


def convert(model: torch.nn.Module, **options) -> torch.nn.Module:
    """A deep copy of the model with a `Linear` in place of every `torch.nn.Linear`, weights and bias kept.

    Subclasses of `torch.nn.Linear` stay what they are, since they may compute something else. A layer or weight that is used
    in several places stays one.

    Parameters
    ----------
    model : torch.nn.Module
    **options
        As those of `Linear`: ``per_channel``, ``engine``, ``rows``, ``cols``.
    """
    copied = copy.deepcopy(model)
    made: dict[torch.nn.Module, Linear] = {}

    def replacement(module: torch.nn.Module) -> torch.nn.Module:
        if type(module) is not torch.nn.Linear:
            return module
        if module not in made:
            made[module] = Linear.from_float(module, **options)
        return made[module]

    for parent in list(copied.modules()):
        for name, child in parent._modules.items():  # named_children would leave out a second use of a child
            if child is not None:
                parent._modules[name] = replacement(child)
    return replacement(copied)
