# SPDX-License-Identifier: Apache-2.0
"""The runner of benches: that what passes has run, and that what fails is shown."""

import dataclasses
import json

import pytest

from toolchain.simulator import build_bench, run_bench
from trme.catalog import find
from trme.design import Design
from trme.sim import simulate


@pytest.fixture
def with_fault(monkeypatch):
    """Replaces text in all Verilog that is emitted from now on."""
    emit = Design.emit

    def replace(old, new):
        def emit_broken(self, **options):
            emission = emit(self, **options)
            assert old in emission.verilog
            return dataclasses.replace(emission, verilog=emission.verilog.replace(old, new))

        monkeypatch.setattr(Design, "emit", emit_broken)

    return replace


def first_configuration(name):
    unit = find(name)
    return dataclasses.replace(unit, configurations=unit.configurations[:1])


def run_one(name, folder, tools, **options):
    (result,) = simulate([first_configuration(name)], seed=2, folder=folder, tools=tools, length=60, **options)
    return result


@pytest.mark.parametrize("name", ["modmul", "systolic"])
def test_bench_passes_and_reports_what_it_measured(tmp_path, tools, name):
    result = run_one(name, tmp_path, tools)
    assert result.passed, result.trouble
    assert result.tests >= 7
    assert result.transactions > 500
    assert result.latency_cycles == result.declared_latency_cycles
    assert result.interval_cycles == result.declared_interval_cycles == 1
    assert result.waves == ""


# Per bench test, a fault that it is there to find.
@pytest.mark.parametrize(
    ("name", "test", "old", "new"),
    [
        ("modmul", "the_largest_residues_agree_in_all_pairs", "16'h828d", "16'h828c"),
        ("modmul", "reset_in_flight_drops_everything", "rst ? 1'h0 :", "1'h0 ? 1'h0 :"),
        ("modmul", "stalled_output_holds_and_loses_nothing", "places >= 2'h3", "1'b1"),
        ("modmul", "steady_input_has_the_declared_interval", "places >= 2'h3", "places >= 5'h13"),
        ("modmul", "isolated_results_have_the_declared_latency", "in_flight[11]", "in_flight[10]"),
        ("systolic", "directed_cases_agree", "is_worse ? 16'h0001", "is_worse ? 16'h0000"),
        ("systolic", "random_cases_with_pauses_agree", " : drain_o;", " : drain_i;"),
        ("systolic", "pauses_within_a_tile_add_nothing", "= valid & ", "= 1'b1 & "),
        ("systolic", "short_tiles_are_spaced_by_the_rows", "2'h3", "2'h2"),
        ("systolic", "reset_in_flight_drops_everything", "rst ? 1'h1 :", "1'h0 ? 1'h1 :"),
    ],
)
def test_fault_fails_the_bench_test_that_is_there_for_it(tmp_path, tools, with_fault, name, test, old, new):
    with_fault(old, new)
    result = run_one(name, tmp_path, tools)
    assert not result.passed
    assert test in result.failures


def test_failure_leaves_waves_of_the_window_around_it(tmp_path, tools, with_fault):
    with_fault("16'h828d", "16'h828c")
    result = run_one("modmul", tmp_path, tools)
    waves = tmp_path / "modmul-251" / result.waves
    assert waves.stat().st_size > 0
    assert "directed_cases_agree" in result.trouble
    assert "is 252, not 1" in result.trouble
    if waves.suffix == ".vcd":
        times = [int(line[1:]) for line in waves.read_text().splitlines() if line.startswith("#")]
        assert 0 < times[-1] - times[0] <= 400_000


def test_waves_of_the_whole_run_are_kept_when_asked_for(tmp_path, tools):
    result = run_one("modmul", tmp_path, tools, waves=True)
    assert result.passed
    assert (tmp_path / "modmul-251" / result.waves).stat().st_size > 1000


def test_command_prints_table_and_fails_when_a_bench_fails(tmp_path, trme, with_fault, monkeypatch):
    monkeypatch.setattr("trme.commands.sim.find", first_configuration)
    with_fault("16'h828d", "16'h828c")
    code, out, _ = trme("sim", "modmul", "-o", tmp_path, "--json", tmp_path / "out.json")
    assert code == 1
    assert "FAIL" in out
    assert "waves" in out
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["passed"] is False
    assert written["results"][0]["failures"]


BENCHES = {
    "raises": ("import cocotb\n@cocotb.test()\nasync def fails(dut):\n    assert False, 'because'\n", "because"),
    "has no test": ("x = 1\n", "no"),
    "does not import": ("import nothing_of_that_name\n", "no"),
    "ends the process": ("import cocotb, os\n@cocotb.test()\nasync def t(dut):\n    os._exit(5)\n", "ended with code 5"),
    "is skipped": ("import cocotb\n@cocotb.test(skip=True)\nasync def t(dut):\n    pass\n", "skipped"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BENCHES)
def test_bench_that_proves_nothing_is_no_pass(tmp_path, tools, design, monkeypatch, kind):
    text, telling = BENCHES[kind]
    (tmp_path / "bench_bad.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    emission = design("modmul").emit()
    library = build_bench(tools, {"modmul.v": emission.verilog}, top="modmul")
    run = run_bench(library, top="modmul", module="bench_bad", folder=tmp_path, seed=1, plusargs={})
    assert run.trouble or not all(test.passed for test in run.tests)
    messages = run.trouble + " ".join(test.message for test in run.tests)
    assert telling in messages


def test_bench_that_reports_no_measurement_is_no_pass(tmp_path, tools, monkeypatch):
    def without_report(*arguments, **options):
        result = run_bench(*arguments, **options)
        (options["folder"] / "report.jsonl").unlink()
        return result

    monkeypatch.setattr("trme.sim.run_bench", without_report)
    result = run_one("modmul", tmp_path, tools)
    assert result.trouble == "latency and initiation interval were not measured"
