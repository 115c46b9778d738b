# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import replace

import pytest

from synth import flow
from synth.devices import find_device
from synth.errors import TooLarge
from synth.netlist import Netlist
from synth.place import Attempt
from synth.report import Report
from toolchain.errors import BadInput
from trme.catalog import UNITS
from trme.compare import Subject, compare
from trme.order import Order, baseline_in_words

ECP5 = find_device("ecp5-25k-8")
UNITS_WITH_BASELINE = [unit for unit in UNITS if unit.baseline]


def placed(*fmax):
    core = {"LUT": 205, "FF": 26, "DSP": 1, "BRAM": 0}
    made = Netlist(None, None, {}, core, dict.fromkeys(core, 1), (5, 5), (0, 0), True)
    attempts = [Attempt(n, "default", Report(f, {}, None), None, 0.0, True) for n, f in enumerate(fmax, start=1)]
    return flow.Result(ECP5, None, made, tuple(attempts))


@pytest.mark.parametrize("modulus", [2, 3, 128, 129, 251, 253, 255, 256])
def test_naive_modmul_agrees_with_golden_on_all_pairs(design, tools, modulus):
    unit = design("modmul", modulus=modulus)
    naive = unit.baseline().emission
    outcome = compare(unit, vectors=None, subject=Subject(naive.verilog, manifest=naive.manifest), tools=tools)
    assert (outcome.mismatches, outcome.outputs) == (0, modulus**2)


def test_naive_modmul_with_another_modulus_is_caught(design, tools):
    unit = design("modmul", modulus=251)
    wrong = design("modmul", modulus=250).baseline().emission
    outcome = compare(unit, vectors=None, subject=Subject(wrong.verilog, manifest=wrong.manifest), tools=tools)
    assert outcome.first_divergence is not None


@pytest.mark.parametrize(
    "parameters",
    [
        {"rows": 4, "cols": 4},
        {"rows": 3, "cols": 5, "semiring": "max-plus", "width": 9},
        {"rows": 5, "cols": 2, "semiring": "plus-times", "width": 8, "depth": 64},
        {"rows": 1, "cols": 1, "width": 2},
        {"rows": 2, "cols": 1, "semiring": "max-plus", "width": 3},
    ],
    ids=lambda parameters: "-".join(str(value) for value in parameters.values()),
)
def test_naive_systolic_agrees_with_golden_at_the_full_rate(design, tools, parameters):
    unit = design("systolic", **parameters)
    naive = unit.baseline().emission
    outcome = compare(unit, vectors=40_000, subject=Subject(naive.verilog, manifest=naive.manifest), tools=tools)
    assert outcome.mismatches == 0 and outcome.outputs > 3000


@pytest.mark.parametrize("unit", UNITS_WITH_BASELINE, ids=lambda unit: unit.name)
def test_baseline_has_the_ports_of_the_core_and_a_manifest_of_its_own(design, unit):
    for parameters in unit.configurations:
        made = design(unit.name, **parameters)
        core, naive = made.emit(free_running=True).manifest, made.baseline().emission
        assert (naive.manifest.ports, naive.manifest.streams) == (core.ports, core.streams)
        assert naive.manifest.top != core.top and f"module {naive.manifest.top} " in naive.verilog
        assert naive.manifest.verilog_sha256 != core.verilog_sha256


def test_baseline_is_measured_with_the_same_device_seeds_strategy_and_copies(design, monkeypatch):
    calls = []

    def run(emission, device, **options):
        del options["progress"]
        calls.append((emission.manifest.top, device.name, options))
        return placed(600.0, 620.0, 640.0) if emission.manifest.top == "modmul" else placed(30.0, 40.0, 41.0)

    monkeypatch.setattr(flow, "run", run)
    order = Order(design("modmul"), ECP5, 700.0, 3, 4, ("eager",), copies=2)
    naive = order.place_baseline(order.place(jobs=1), jobs=1)
    assert [call[0] for call in calls] == ["modmul", "naive_modmul"]
    assert calls[0][1:] == calls[1][1:]
    assert calls[1][2] == {
        "target_mhz": 700.0, "seeds": range(5, 8), "strategies": ("eager",), "copies": 2, "jobs": 1, "native": False,
    }  # fmt: skip
    assert naive["fmax_mhz"] == {"min": 30.0, "median": 40.0, "max": 41.0} and naive["times"] == 15.5
    assert baseline_in_words(naive) == "15.5 times the naive (a * b) % 251, 40.0 MHz, 205 LUT, 26 FF, 1 DSP, latency 2"


def test_baseline_that_does_not_fit_is_a_sentence_and_no_figure(design, monkeypatch):
    def run(*_args, **_options):
        raise TooLarge("modmul needs 9 DSP and there are 8")

    monkeypatch.setattr(flow, "run", run)
    naive = Order(design("modmul"), ECP5).place_baseline(placed(600.0))
    assert naive["fmax_mhz"] is None and naive["times"] is None
    assert baseline_in_words(naive) == "the naive (a * b) % 251 has no figure: modmul needs 9 DSP and there are 8"


def test_baseline_of_a_unit_without_one_or_without_timing_is_refused(trme, design):
    code, _, err = trme("synth", "modmul", "--baseline", "--device", "generic")
    assert (code, err) == (2, "trme: --baseline compares timing, and --device generic has none: name a device\n")
    made = design("modmul")
    with pytest.raises(BadInput, match="--baseline compares with a naive form, and modmul has none: leave it out"):
        replace(made, unit=replace(made.unit, baseline="")).baseline()


@pytest.mark.simulator
def test_synth_prints_the_ratio_below_the_result_and_writes_it(trme, tmp_path):
    out = tmp_path / "out.json"
    code, text, err = trme("synth", "modmul", "--modulus", "13", "--seeds", "1", "--baseline", "-o", tmp_path, "--json", out)
    assert code == 0, err
    naive = json.loads(out.read_text())["baseline"]
    assert f"baseline  {naive['times']:.1f} times the naive (a * b) % 13, " in text
    assert naive["times"] > 2 and naive["failure"] is None and len(naive["seeds"]) == 1
