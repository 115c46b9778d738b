# SPDX-License-Identifier: Apache-2.0
import itertools
import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from toolchain.errors import BadInput
from trme.features import describe
from trme.fit import FEWEST, _fit_trees, fit
from trme.formula import Linear
from trme.model import MODELS, Model

GOAL = 0.10
"""Of the median error in LUT and Fmax, held out."""


def point(parameters, *, lut, fmax, **others):
    found = {"lut": lut, "ff": 2 * lut, "dsp": 0, "fmax_median_mhz": fmax, "failure": None, "attempts": [{"seed": 1}]}
    return (
        {"parameters": parameters, "device": "ecp5-25k-8", "strategy": "default", "streams": False, "copies": 1}
        | found
        | others
    )


def sweep_file(path, unit, points):
    value = {"unit": unit, "points": points, "tool_versions": {"yosys": "1"}, "command": "trme sweep", "generator": "g"}
    path.write_text(json.dumps(value))
    return path


def arrays(noise=0.0, **others):
    """A systolic array as one would draw it: elements, edges, and a clock that slows with the width."""
    rng = np.random.default_rng(1)
    for rows, cols, width in itertools.product((1, 2, 4, 6), (1, 3, 5), (4, 8, 16)):
        lut = (rows * cols * (5 * width + 3) + 4 * (rows + cols) * width) * math.exp(noise * rng.normal())
        parameters = {"rows": rows, "cols": cols, "width": width, "semiring": "min-plus", "depth": 64}
        yield point(parameters, lut=round(lut), fmax=1000 / (1.5 + 0.1 * width), **others)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """The model of `arrays` with some noise."""
    path = sweep_file(tmp_path_factory.mktemp("noisy") / "s.json", "systolic", list(arrays(noise=0.06)))
    return fit("systolic", [path])[0]


@pytest.fixture
def fitted(tmp_path, noisy):
    """A folder with that model."""
    noisy.write(tmp_path / "systolic-ecp5.json")
    return tmp_path


def test_fit_finds_a_sum_of_products(tmp_path):
    (model,) = fit("systolic", [sweep_file(tmp_path / "s.json", "systolic", list(arrays()))])
    part = model.parts[0]
    assert part.n_points == 36
    assert part.ranges["width"] == [4, 16]
    assert part.targets["lut"].worst_error < 0.01
    assert part.targets["fmax_median_mhz"].worst_error < 0.05
    assert part.targets["dsp"].formula == Linear([], [], 0.0, False)
    assert part.targets["dsp"].worst_error == 0
    assert "bram" not in part.targets  # nothing measured, nothing estimated
    new = describe("systolic", {"rows": 5, "cols": 4, "width": 12, "depth": 64}, "ecp5-25k-8", "default", False, 1)
    assert part.estimate(new.numbers)["lut"].value == pytest.approx(20 * 63 + 4 * 9 * 12, rel=0.01)


def test_error_bars_hold_about_eight_of_ten(noisy):
    target = noisy.parts[0].targets["lut"]
    assert 0.85 < target.low < 0.97
    assert 1.03 < target.high < 1.2
    assert 0.02 < target.median_error < target.worst_error < 0.25


def test_model_is_the_same_after_writing_and_reading(noisy, tmp_path):
    noisy.write(tmp_path / "m.json")
    assert Model.read(tmp_path / "m.json") == noisy
    assert not list(tmp_path.glob(".*"))


def test_trees_say_what_scikit_learn_says():
    from sklearn.ensemble import GradientBoostingRegressor

    subjects = [
        describe("modmul", {"modulus": m, "method": "fold"}, "ecp5-25k-8", "default", False, 1) for m in range(40, 250, 7)
    ]  # fmt: skip
    y = np.array([100.0 + (s.sizes["modulus"] % 13) ** 2 for s in subjects])
    trees = _fit_trees(subjects, y)
    x = np.array([[s.numbers[name] for name in trees.features] for s in subjects])
    options = {"n_estimators": 80, "max_depth": 3, "learning_rate": 0.12, "min_samples_leaf": 2, "random_state": 0}
    expected = np.expm1(GradientBoostingRegressor(**options).fit(x, np.log1p(y)).predict(x))
    assert [trees.predict(s.numbers) for s in subjects] == pytest.approx(expected, rel=1e-3)


def test_fit_writes_a_model_and_tells_its_errors(trme, tmp_path):
    path = sweep_file(tmp_path / "s.json", "systolic", list(arrays())[:FEWEST])
    code, out, err = trme("estimate", "systolic", "--fit", path, "--models", tmp_path / "new", "--json", tmp_path / "fit.json")
    assert code == 0, err
    assert f"written   {tmp_path}/new/systolic-ecp5.json" in out
    assert [row["target"] for row in json.loads((tmp_path / "fit.json").read_text())["fits"]] == ["LUT", "FF", "DSP", "Fmax"]


def test_newer_fit_replaces_parts_with_the_same_words_only(noisy):
    def parts(*semirings):
        return [replace(noisy.parts[0], words=noisy.parts[0].words | {"semiring": name}) for name in semirings]

    older = replace(noisy, parts=parts("min-plus", "max-plus"))
    newer = replace(noisy, parts=[replace(part, n_points=7) for part in parts("max-plus", "plus-times")])
    both = {part.words["semiring"]: part.n_points for part in older.renewed(newer).parts}
    assert both == {"min-plus": 36, "max-plus": 7, "plus-times": 7}


def test_estimate_prints_figures_bars_and_errors(fitted, trme):
    words = ["--rows", 3, "--cols", 4, "--width", 10, "--depth", 64]
    code, out, err = trme("estimate", "systolic", *words, "--models", fitted, "--json", fitted / "e")
    assert code == 0, err
    written = json.loads((fitted / "e").read_text())
    lut = written["estimates"]["lut"]
    assert lut["low"] <= lut["value"] <= lut["high"]
    assert lut["value"] == pytest.approx(12 * 53 + 4 * 7 * 10, rel=0.1)
    assert f"{lut['low']} to {lut['high']}" in out
    assert "fitted to 36 measured points, 1 seed each, yosys 1" in out
    assert "caution   golden/systolic.py or hdl/systolic.py has changed since" in out  # the file says "g"
    assert written["generator_changed_since"]
    assert written["held_out_errors"]["lut"]["median"] < GOAL


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rows", 7], "was fitted for rows from 1 to 6, not 7: 'trme sweep systolic --semiring min-plus --pe lookahead "
                        "--device ecp5-25k-8 --grid rows=1..7 --grid cols=1..5 --grid width=4..16"),
        (["--semiring", "max-plus"], "was fitted for semiring min-plus, not max-plus: 'trme sweep systolic --semiring "),
        (["--device", "ecp5-85k-8"], "was fitted for device ecp5-25k-8, not ecp5-85k-8"),
        (["--streams"], "was fitted for streams false, not true: 'trme sweep systolic --semiring min-plus --pe lookahead "
                        "--device ecp5-25k-8 --streams"),
        (["--copies", 2], "was fitted for copies from 1 to 1, not 2"),
        (["--copies", 0], "--copies must be from 1 to 256, not 0"),
        (["--device", "ecp7"], "there is no device 'ecp7'"),
    ],
    ids=str,
)  # fmt: skip
def test_estimate_outside_of_what_was_fitted_is_refused(fitted, trme, words, sentence):
    code, _, err = trme("estimate", "systolic", "--depth", 64, "--models", fitted, *words)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1


def test_words_that_were_not_fitted_together_are_refused(noisy, trme, tmp_path):
    other = replace(noisy.parts[0], words=noisy.parts[0].words | {"semiring": "max-plus", "device": "ecp5-45k-8"})
    replace(noisy, parts=[*noisy.parts, other]).write(tmp_path / "systolic-ecp5.json")
    code, _, err = trme("estimate", "systolic", "--depth", 64, "--models", tmp_path, "--device", "ecp5-45k-8")
    assert code == 2
    words = "semiring=min-plus pe=lookahead device=ecp5-45k-8 strategy=default streams=false"
    assert f"was fitted for each of {words}, but not together" in err


def test_estimate_without_a_model_says_how_one_is_made(trme, tmp_path):
    code, _, err = trme("estimate", "modmul", "--models", tmp_path)
    assert code == 2
    assert f"there is no estimate of modmul on ecp5 in {tmp_path}; 'trme sweep modmul --device ecp5-25k-8 --grid" in err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not what trme sweep --json writes"),
        ("[]", "is not what trme sweep --json writes"),
        ('{"unit": "systolic"}', "is not what trme sweep --json writes"),
        ('{"unit": "modmul"}', "is a sweep of modmul, not of systolic"),
    ],
)
def test_fit_to_what_is_no_sweep_is_refused(tmp_path, text, sentence):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(BadInput, match=sentence):
        fit("systolic", [tmp_path / "s.json"])
    with pytest.raises(BadInput, match="cannot read --fit"):
        fit("systolic", [tmp_path / "none.json"])


def test_fit_to_too_few_points_is_refused(tmp_path):
    few = list(arrays())[: FEWEST - 1]
    with pytest.raises(BadInput, match="needs 12 or more points that differ in numbers only, and there are 11 at most"):
        fit("systolic", [sweep_file(tmp_path / "s.json", "systolic", few)])
    failed = [p | {"failure": "no room"} for p in arrays()]
    with pytest.raises(BadInput, match=r"no point of .* was measured"):
        fit("systolic", [sweep_file(tmp_path / "s.json", "systolic", failed)])


def test_damaged_model_is_named(trme, fitted):
    (fitted / "systolic-ecp5.json").write_text('{"unit": "systolic"}')
    code, _, err = trme("estimate", "systolic", "--models", fitted)
    assert code == 2
    assert "is not a fitted model: make it again with trme estimate --fit" in err


def test_estimate_imports_nothing_that_fits(fitted):
    code = (
        "import sys; from trme.cli import main\n"
        f"main(['estimate', 'systolic', '--rows', '5', '--depth', '64', '--models', {str(fitted)!r}])\n"
        "print([m for m in ('sklearn', 'pandas', 'matplotlib', 'distributed') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_models_that_come_with_the_workbench_reach_the_goal():
    for path in MODELS.glob("*.json"):
        for part in Model.read(path).parts:
            assert part.targets["lut"].median_error < GOAL, (path.name, part.words)
            assert part.targets["fmax_median_mhz"].median_error < GOAL, (path.name, part.words)
            assert part.n_seeds >= 3, path.name
