# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: a small network trained in float32, run in int8 on the systolic array, and trained there too.

The images are scikit-learn's, 1797 of 8 x 8 pixels. The network is 64-32-10 with a rectifier between. Whatever the RTL
computes, the golden model computes as well, and the two must be equal bit for bit.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from cyclopts import App

from golden.systolic import SystolicParams
from toolchain.errors import BadInput, Mismatch, ToolMissing
from toolchain.verilator import Tools
from trme.options import JsonFile, Seed, VerilatorPath, integer_option, write_json

if TYPE_CHECKING:  # commands are listed on machines without PyTorch
    import torch

__all__ = ["app", "digits"]

_HIDDEN = 32
_TEST_SHARE = 0.25
_EPOCHS = 30
_BATCH = 64
_STEP_BATCH = 256  # of the steps on the RTL: the depth of an array that is built anyway
_RATE = 0.01
_MOST_STEPS = 1000

app = App(name="digits")


def _check_steps(_type, steps: int) -> None:
    if not 0 <= steps <= _MOST_STEPS:
        raise ValueError(f"It must be from 0 to {_MOST_STEPS}")


@dataclass(frozen=True)
class _Data:
    """Images of shape (n, 64), float32 from 0 to 1, and digits of shape (n,), int64."""

    train_images: "torch.Tensor"
    train_digits: "torch.Tensor"
    test_images: "torch.Tensor"
    test_digits: "torch.Tensor"


@dataclass(frozen=True)
class _Step:
    """A training step: its loss, and the gradients of all parameters by name."""

    loss: float
    gradients: "dict[str, torch.Tensor]"


@app.default
def digits(
    *,
    rows: Annotated[int, integer_option("Height of the array, 1 to 256 processing elements.")] = 16,
    cols: Annotated[int, integer_option("Width of the array, 1 to 256 processing elements.")] = 16,
    steps: Annotated[int, integer_option(f"Training steps on the RTL, 0 to {_MOST_STEPS}.", validator=_check_steps)] = 20,
    seed: Seed = 0,
    verilator: VerilatorPath = None,
    json: JsonFile = None,
) -> int:
    """Recognise handwritten digits in int8 on the systolic array, checked against the golden model, and train there."""
    try:
        SystolicParams(rows=rows, cols=cols, semiring="plus-times")
    except ValueError as error:
        raise BadInput(str(error)) from error
    import trme.torch as front  # says what to install if PyTorch is not there

    data = _load(seed)
    n_train, n_test = len(data.train_digits), len(data.test_digits)
    print(f"data      {n_train + n_test} images of 8 x 8: {n_train} to train, {n_test} to test; seed {seed}", flush=True)
    begin = time.perf_counter()
    network = _train_float(data, seed)
    print(f"network   64-{_HIDDEN}-10, trained in float32 for {_EPOCHS} epochs in {time.perf_counter() - begin:.1f} s")
    print(f"array     {rows} x {cols} processing elements, plus-times, on Verilator", flush=True)

    converted = front.convert(network, rows=rows, cols=cols)
    with front.calibrate(converted):
        converted(data.train_images)
    tools = Tools.find(verilator)
    with front.session(tools):
        _outputs(converted, data.test_images[:1])  # builds the model, which the rate below leaves out
    with front.session(tools) as spent:
        begin = time.perf_counter()
        rtl = _outputs(converted, data.test_images)
        elapsed_s = time.perf_counter() - begin
    _set_engine(converted, "golden")
    golden = _outputs(converted, data.test_images)
    outputs = {"float32": _outputs(network, data.test_images), "golden": golden, "rtl": rtl}
    accuracy = {name: (output.argmax(1) == data.test_digits).double().mean().item() for name, output in outputs.items()}
    print(f"float32   {accuracy['float32']:.2%} of the test images recognised")
    print(f"golden    {accuracy['golden']:.2%} in int8")
    print(f"rtl       {accuracy['rtl']:.2%} in int8")
    rate, per_image = n_test / elapsed_s, spent.cycles / n_test
    print(f"work      {spent.tiles} tiles, {spent.cycles} cycles: {per_image:.1f} cycles per image, {rate:.0f} images/s")
    failure = _first_difference(rtl, golden)

    done: list[_Step] = []
    training = front.Session()
    if steps and not failure:
        print(f"training  {steps} steps of {_STEP_BATCH} images from new weights, forward and backward on the RTL", flush=True)
        size = {"rows": rows, "cols": cols}
        with front.session(tools) as training:
            done = _train_int8(data, seed, steps, size, show=True)
        print(f"work      {training.tiles} tiles, {training.cycles} cycles: {training.cycles / steps:.0f} cycles per step")
        failure = _first_different_step(done, _train_int8(data, seed, steps, {**size, "engine": "golden"}, show=False))

    write_json(json, {
        "workload": "digits", "rows": rows, "cols": cols, "seed": seed, "train_images": n_train, "test_images": n_test,
        "accuracy": accuracy, "tiles": spent.tiles, "cycles": spent.cycles, "images_per_s": rate, "cycles_per_image": per_image,
        "steps": steps, "losses": [step.loss for step in done],
        "training_tiles": training.tiles, "training_cycles": training.cycles, "passed": not failure,
    })  # fmt: skip
    if failure:
        raise Mismatch(f"FAIL: {failure}")
    trained = f", all losses and gradients of {steps} steps" if steps else ""
    print(f"PASS      outputs for {n_test} test images{trained} equal the golden model's")
    return 0


def _load(seed: int) -> _Data:
    """Images and digits in an order that depends on the seed, the last quarter for tests."""
    import torch

    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        raise ToolMissing(
            "scikit-learn is not installed: make setup EXTRAS=torch, or pip install 'trme-workbench[torch]'"
        ) from None
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    train, test = np.split(order, [round(len(labels) * (1 - _TEST_SHARE))])
    pixels = torch.from_numpy(images / 16).float()  # 0 to 16 levels of grey
    known = torch.from_numpy(labels.astype(np.int64))
    return _Data(pixels[train], known[train], pixels[test], known[test])


def _network(seed: int) -> "torch.nn.Sequential":
    import torch

    with torch.random.fork_rng(devices=[]):  # leaves the caller's random numbers alone
        torch.manual_seed(seed)
        return torch.nn.Sequential(torch.nn.Linear(64, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, 10))


@contextmanager
def _one_thread() -> Iterator[None]:
    """PyTorch with one thread: sums in the same order on every machine, and products this small gain nothing by more."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@_one_thread()
def _train_float(data: _Data, seed: int) -> "torch.nn.Sequential":
    import torch

    network = _network(seed)
    optimiser = torch.optim.Adam(network.parameters(), _RATE)
    rng = np.random.default_rng(seed)
    for _ in range(_EPOCHS):
        order = torch.from_numpy(rng.permutation(len(data.train_digits)))
        for chosen in order.split(_BATCH):
            loss = torch.nn.functional.cross_entropy(network(data.train_images[chosen]), data.train_digits[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return network


@_one_thread()
def _train_int8(data: _Data, seed: int, steps: int, options: dict, *, show: bool) -> list[_Step]:
    """Steps from new weights; forward in int8, backward in 16 bits."""
    import torch

    import trme.torch

    network = trme.torch.convert(_network(seed), **options)
    optimiser = torch.optim.Adam(network.parameters(), _RATE)
    rng = np.random.default_rng(seed)
    done = []
    for step in range(1, steps + 1):
        chosen = torch.from_numpy(rng.choice(len(data.train_digits), _STEP_BATCH, replace=False))
        loss = torch.nn.functional.cross_entropy(network(data.train_images[chosen]), data.train_digits[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        gradients = {name: x.grad.clone() for name, x in network.named_parameters() if x.grad is not None}
        done.append(_Step(loss.item(), gradients))
        if show and (step == 1 or step % 5 == 0 or step == steps):
            print(f"          step {step:4}  loss {loss.item():.4f}", flush=True)
    return done


@_one_thread()
def _outputs(network: "torch.nn.Module", images: "torch.Tensor") -> "torch.Tensor":
    import torch

    with torch.no_grad():
        return network(images)


def _set_engine(network: "torch.nn.Module", engine: str) -> None:
    import trme.torch

    for module in network.modules():
        if isinstance(module, trme.torch.Linear):
            module.engine = engine


def _first_difference(rtl: "torch.Tensor", golden: "torch.Tensor") -> str | None:
    """What differs at the first image whose outputs are not all equal, or None."""
    wrong = (rtl != golden).nonzero()
    if not len(wrong):
        return None
    image, digit = wrong[0].tolist()
    return (
        f"test image {image} has the output {rtl[image, digit].item()} for digit {digit} on the RTL "
        f"and {golden[image, digit].item()} on the golden model"
    )


def _first_different_step(rtl: list[_Step], golden: list[_Step]) -> str | None:
    """What differs in the first training step that does, or None."""
    for number, (step, expected) in enumerate(zip(rtl, golden, strict=True), 1):
        if step.loss != expected.loss:
            return f"the loss of step {number} is {step.loss} on the RTL and {expected.loss} on the golden model"
        for name, gradient in step.gradients.items():
            wrong = (gradient != expected.gradients[name]).nonzero()
            if len(wrong):
                place = tuple(wrong[0].tolist())
                return (
                    f"the gradient of {name}{list(place)} in step {number} is {gradient[place].item()} on the RTL "
                    f"and {expected.gradients[name][place].item()} on the golden model"
                )
    return None
