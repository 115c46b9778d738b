# SPDX-License-Identifier: Apache-2.0
import json
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: make setup EXTRAS=torch")
pytest.importorskip("sklearn", reason="scikit-learn is not installed: make setup EXTRAS=torch")

from trme import products
from trme.workloads import digits as workload

SMALL = ("--rows", 8, "--cols", 8)


@pytest.fixture
def quick(monkeypatch):
    """Three epochs in float32 are enough for what these tests look at."""
    monkeypatch.setattr(workload, "_EPOCHS", 3)


@pytest.mark.simulator
def test_digits_are_recognised_and_training_descends(trme, tmp_path):
    code, out, err = trme("run", "digits", *SMALL, "--steps", 12, "--json", tmp_path / "out.json")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "data      1797 images of 8 x 8: 1348 to train, 449 to test; seed 0"
    assert lines[-1] == "PASS      outputs for 449 test images, all losses and gradients of 12 steps equal the golden model's"
    assert [line.split()[1] for line in lines if " step " in line] == ["1", "5", "10", "12"]
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["passed"]
    assert min(written["accuracy"].values()) > 0.95
    assert written["accuracy"]["rtl"] == written["accuracy"]["golden"]
    assert written["tiles"] == 57 * 4 + 57 * 2  # bands of 8 images, and columns of 32 and 10 outputs
    assert written["cycles_per_image"] * 449 == pytest.approx(written["cycles"])
    assert written["losses"][-1] < written["losses"][0] - 0.5
    assert written["training_cycles"] > 0


@pytest.mark.simulator
def test_other_seed_without_steps(trme, quick):
    code, out, err = trme("run", "digits", *SMALL, "--steps", 0, "--seed", 2**63 - 1)
    assert code == 0, err
    assert "training" not in out
    assert out.endswith("PASS      outputs for 449 test images equal the golden model's\n")


@pytest.mark.simulator
@pytest.mark.parametrize(
    ("width", "telling"),
    [(8, "FAIL: test image 17 has the output "), (16, "FAIL: the gradient of 0.weight[")],
    ids=["inference", "training"],
)
def test_wrong_hardware_is_reported_with_the_first_difference(trme, quick, monkeypatch, width, telling):
    product = products.SystolicEngine.product

    def wrong(self, a, b, *rest):
        result = product(self, a, b, *rest)
        if self.params.width == width and (width == 16 or len(a) > 17):
            result[17 % len(result), 3] += 1 << 12
        return result

    monkeypatch.setattr(products.SystolicEngine, "product", wrong)
    code, out, err = trme("run", "digits", *SMALL, "--steps", 2)
    assert code == 1
    assert "PASS" not in out
    assert telling in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["--rows", 0], "rows must be"),
        (["--cols", 257], "cols must be"),
        (["--steps", -1], "It must be from 0 to 1000"),
        (["--steps", 1001], "It must be from 0 to 1000"),
        (["--steps", 1.5], "'1.5' is not an integer"),
        (["--seed", -1], "It must be from 0 to"),
    ],
    ids=str,
)
def test_unusable_option_gives_one_sentence(trme, words, telling):
    code, out, err = trme("run", "digits", *words)
    assert (code, out) == (2, "")
    assert telling in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("module", "name"), [("torch", "PyTorch"), ("sklearn", "scikit-learn")])
def test_missing_package_gives_one_sentence(trme, monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    # What depends on it may have been imported by other tests.
    for loaded in [key for key in sys.modules if key.startswith("trme.torch" if module == "torch" else "sklearn.")]:
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    code, out, err = trme("run", "digits")
    assert (code, out) == (3, "")
    assert err == f"trme: {name} is not installed: make setup EXTRAS=torch, or pip install 'trme-workbench[torch]'\n"
