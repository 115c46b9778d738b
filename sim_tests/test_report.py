# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from sim_tests.conftest import ROOT
from sim_tests.test_baselines import placed
from synth import flow
from synth.errors import TooLarge
from toolchain.errors import BadInput, ToolMissing
from trme import report_plots, synthesis
from trme.commands.synth import app as synth
from trme.markdown import marks, splice
from trme.measurements import Plan
from trme.measuring import measure, order, unavailable
from trme.report_plots import draw
from trme.results import read_rows

BEGIN, END = marks("results")
PAGE = f"# A page\n\nkept\n\n{BEGIN}\nold\n{END}\n\nkept too\n"
MEASUREMENTS = """\
[[group]]
title = "Two moduli"
device = "ecp5-25k-8"
seeds = 3
strategy = "eager"
freq = 700
baseline = true
lowest = 500
[group.rows]
one = { unit = "modmul", modulus = 251, median = 600 }
two = { unit = "modmul", modulus = 13, method = "fold", no_dsp = true, median = 600 }

[[group]]
title = "Others"
[group.rows]
three = { unit = "modmul", device = "ecp5-25k-6", copies = 2, streams = true }

[[headline]]
what = "modmul 251; 13"
rows = ["one", "two"]
"""
COMMAND = "trme synth modmul --modulus 251 --device ecp5-25k-8 --seeds 3 --strategy eager --freq 700 --baseline"
PATH = {"from": "core.a", "to": "core.b", "through": {"LUT4": 1}, "logic_ns": 0.5, "routing_ns": 1.0}


def result(*fmax: float | None, **changes) -> dict:
    median = sorted(f for f in fmax if f)[len(fmax) // 2]
    return {
        "failure": None, "command": COMMAND, "date": "2026-01-02", "strategy": "eager",
        "seeds": [{"strategy": "eager", "fmax_mhz": f} for f in fmax], "fmax_mhz": {"median": median},
        "core": {"LUT": 5, "FF": 6, "DSP": 1, "BRAM": 0}, "latency_cycles": 12, "initiation_interval_cycles": 1,
        "device_clock_limit_mhz": 370.0,
        "device_clock_limit_source": "a datasheet", "caveat": None, "critical_path": PATH,
        "verilog_sha256": "0", "tool_versions": {"yosys": "0.70, from somewhere", "nextpnr-ecp5": "0.11", "amaranth": "0.5"},
        "baseline": {
            "text": "(a * b) % 251", "fmax_mhz": {"median": 40.0}, "times": median / 40, "failure": None,
            "core": {"LUT": 205, "FF": 26, "DSP": 1, "BRAM": 0},
        },
    } | changes  # fmt: skip


def _cells(page: str, first: str) -> list[str]:
    """The cells behind the first one of a table's line."""
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {first} ")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


@pytest.fixture
def checkout(tmp_path):
    """A folder with the pages, the measurements, and no results."""
    (tmp_path / "docs" / "results").mkdir(parents=True)
    (tmp_path / "README.md").write_text(PAGE)
    (tmp_path / "docs" / "results.md").write_text(PAGE)
    (tmp_path / "docs" / "results" / "measurements.toml").write_text(MEASUREMENTS)
    return tmp_path


@pytest.fixture
def report(trme, checkout, monkeypatch):
    """Runs the command on it, with results by name; drawing costs nothing."""
    monkeypatch.setattr(report_plots, "draw", lambda rows, path, key: path.write_text(key))

    def run(*words, **results):
        for name, value in results.items():
            text = value if isinstance(value, str) else json.dumps(value)
            (checkout / "docs" / "results" / f"{name}.json").write_text(text)
        return trme("report", "--root", checkout, *words)

    return run


@pytest.fixture
def flow_calls(monkeypatch):
    """The flow costs nothing; what it is asked is told. Modulus 13 does not fit."""
    calls = []

    def run(emission, device, **options):
        calls.append((emission.manifest.top, emission.manifest.parameters["modulus"], device.name, list(options["seeds"])))
        if emission.manifest.parameters["modulus"] == 13:
            raise TooLarge("modmul needs too much")
        return placed(*([40.0] * 3 if emission.manifest.top == "naive_modmul" else [590.0, 610.0, 630.0]))

    monkeypatch.setattr(flow, "run", run)
    return calls


def test_results_of_this_checkout_are_up_to_date(trme):
    assert trme("report", "--check") == (0, "all up to date\n", "")


def test_measurements_of_this_checkout_are_commands_that_synth_takes():
    for row in Plan.read(ROOT / "docs/results/measurements.toml").rows:
        words = row.command().split()
        assert words[:2] == ["trme", "synth"]
        if unavailable(row):
            continue
        _, bound, _ = synth.parse_args(words[2:], exit_on_error=False, print_error=False)
        expected = row.parameters | {"device": row.device, "seeds": row.seeds, "strategy": row.strategy}
        expected |= {"freq": row.freq} if row.freq else {}
        expected |= {"copies": row.copies} if row.copies > 1 else {}
        expected |= {name: True for name in ("streams", "baseline") if getattr(row, name)}
        assert bound.arguments == expected, row.name


def test_report_writes_what_was_measured_and_nothing_else(report, checkout):
    assert report("--check")[0] == 1
    code, out, _ = report(one=result(600.5, 640.25, 650.0))
    assert code == 0 and [line.split("/")[-1] for line in out.splitlines()] == ["fmax.svg", "README.md", "results.md"]
    readme, page = (checkout / "README.md").read_text(), (checkout / "docs/results.md").read_text()
    for text in (readme, page):
        assert text.startswith("# A page\n\nkept\n\n") and text.endswith("\n\nkept too\n") and "old" not in text
        assert "- Naive: `(a * b) % 251`, 40.0 MHz, 205 LUT, 26 FF, 1 DSP." in text
        assert "not what a board runs at: ecp5-25k-8 370 MHz (a\n  datasheet)." in text
    assert _cells(readme, "modmul 251; 13")[:5] == [
        "ecp5-25k-8", "3", "640.2 (600.5); -", "600 (500) met; 600 (500) not measured", "16.0; -",
    ]  # fmt: skip
    assert _cells(page, "modmul modulus=251") == [
        "12", "600.5", "640.2", "650.0", "600 (500)", "met", "40.0", "16.0", "5", "6", "1", "0.50 + 1.00",
    ]  # fmt: skip
    settings = "ecp5-25k-8, free-running, 3 seeds, initiation interval 1, strategy eager, --freq 700, yosys 0.70"
    assert f"{settings}, nextpnr-ecp5 0.11,\n2026-01-02.\n" in page
    assert f"\n    {COMMAND}\n" in page and "Not measured: `two`." in page and "Not measured: `three`." in page
    assert report("--check")[0] == 0
    assert report()[1] == "all up to date\n"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (result(590.0, 599.9, 650.0), "MISSED `one`: the median is 599.9 MHz and should be 600; critical path from core.a to"),
        (result(500.0, 640.0, 650.0), "MISSED `one`: the slowest seed has 500.0 MHz and should have more than 500; critical"),
        (result(None, 640.0, 650.0), "MISSED `one`: 1 of 3 seeds have no figure; critical path from core.a to core.b through"),
        ({"command": COMMAND, "date": "", "failure": "no way"}, "FAILED `one`: no way."),
        (result(600.5, 640.0, command=COMMAND.replace("seeds 3", "seeds 2")), "Provisional, 2 of 3 seeds: `one`."),
        (result(640.0, command="trme"), "Provisional, measured by another command than is listed now: `one`."),
        (result(640.0, baseline=result(1.0)["baseline"] | {"failure": "no room"}), "the naive (a * b) % 251 has no figure: no"),
    ],
)  # fmt: skip
def test_what_was_missed_stands_in_both_pages(report, checkout, changes, sentence):
    assert report(one=changes)[0] == 0
    for name in ("README.md", "docs/results.md"):
        text = " ".join((checkout / name).read_text().split())
        assert sentence in text and "met |" not in text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"command": ', "one.json is damaged (Expecting value: line 1 column 13 (char 12)): measure it again: trme report"),
        ("{}", "lacks 'command', perhaps because an older trme wrote it: measure it again: trme report --measure --only one"),
        ({k: v for k, v in result(1.0).items() if k != "caveat"}, "one.json lacks 'caveat', perhaps because an older trme"),
        ("[]", "one.json has not the form of a result (list indices must be integers"),
    ],
)  # fmt: skip
def test_unusable_result_is_one_sentence_and_changes_nothing(report, checkout, text, sentence):
    code, _, err = report(one=text)
    assert code == 2 and sentence in err and err.count("\n") == 1
    assert (checkout / "README.md").read_text() == PAGE


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("nothing", f"README.md must have one line {BEGIN!r}, and has 0: trme report writes between the marks"),
        (f"{BEGIN}\n{BEGIN}\n{END}", f"README.md must have one line {BEGIN!r}, and has 2"),
        (f"{BEGIN}\n", f"README.md must have one line {END!r}, and has 0"),
        (f"{END}\n{BEGIN}", f"README.md has the line {END!r} before {BEGIN!r}: put them in order"),
    ],
)
def test_page_without_marks_is_refused_and_no_page_changes(report, checkout, page, sentence):
    (checkout / "README.md").write_text(page)
    code, _, err = report(one=result(600.0))
    assert code == 2 and sentence in err and err.count("\n") == 1
    assert (checkout / "docs/results.md").read_text() == PAGE


def test_read_only_or_missing_page_is_refused_and_no_page_changes(report, checkout):
    (checkout / "README.md").chmod(0o444)
    code, _, err = report(one=result(600.0))
    assert (code, err) == (2, f"trme: {checkout}/README.md is read-only: chmod u+w {checkout}/README.md\n")
    assert (checkout / "README.md").read_text() == (checkout / "docs/results.md").read_text() == PAGE
    (checkout / "README.md").unlink()
    code, _, err = report()
    assert code == 2 and "cannot read" in err and "--root must be a checkout of the workbench" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--measure", "--only", "four*"], "--only 'four*' is the name of no measurement: docs/results/measurements.toml has"),
        (["--only", "one"], "--only goes with --measure: add that, or leave --only out"),
        (["--seeds", "2"], "--seeds goes with --measure"),
        (["--measure", "--check"], "--check writes nothing, and --measure does"),
        (["--measure", "--seeds", "0"], "--seeds must be from 1 to 1000, not 0"),
        (["--measure", "--jobs", "0"], "--jobs must be 1 or more, not 0"),
    ],
)
def test_bad_option_is_one_sentence(report, words, sentence):
    code, _, err = report(*words)
    assert code == 2 and sentence in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[[group]]", "[[group", "measurements.toml is not TOML: "),
        ('rows = ["one", "two"]', 'rows = ["four"]', "has a headline of 'four', and no such measurement: correct the name"),
        ("three =", "one =", "has two measurements called 'one': give one of them another name"),
        (MEASUREMENTS, "group = []", "lists no measurement: give a group some rows"),
        ("seeds = 3", 'seeds = "3"', "measurements.toml: seeds of one must be int, not '3'"),
        ("lowest = 500", "lowest = true", "measurements.toml: lowest of one must be int or float, not True"),
        ('unit = "modmul", device', "device", "has not the form that it should have at 'unit': see its first lines"),
    ],
)
def test_measurements_that_cannot_be_are_refused(report, checkout, old, new, sentence):
    (checkout / "docs/results/measurements.toml").write_text(MEASUREMENTS.replace(old, new))
    code, _, err = report()
    assert code == 2 and sentence in err and err.count("\n") == 1


def test_measuring_keeps_results_and_failures_and_goes_on_where_it_was(report, checkout, flow_calls):
    code, out, _ = report("--measure", "--jobs", "1")
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith("one    median 610.0, slowest seed 590.0 MHz of 3, 15.2 times naive")
    assert lines[1].startswith("two    FAILED: modmul needs too much")
    assert lines[2].startswith("three  median 610.0")
    assert flow_calls[:3] == [
        ("modmul", 251, "ecp5-25k-8", [1, 2, 3]), ("naive_modmul", 251, "ecp5-25k-8", [1, 2, 3]),
        ("modmul", 13, "ecp5-25k-8", [1, 2, 3]),
    ]  # fmt: skip
    kept = json.loads((checkout / "docs/results/two.json").read_text())
    assert kept["failure"] == "modmul needs too much" and kept["command"].startswith("trme synth modmul --modulus 13 --method")
    assert "two`: modmul needs too much" in (checkout / "README.md").read_text()

    flow_calls.clear()
    assert report("--measure")[1].splitlines()[0].endswith(", known before")
    assert [call[1] for call in flow_calls] == [13]  # a failure is tried again
    flow_calls.clear()
    assert report("--measure", "--again", "--only", "o*", "--seeds", "2", "--seed", "7")[0] == 0
    assert [call[3] for call in flow_calls] == [[8, 9], [8, 9]]


def test_result_is_that_of_synth_with_its_command(report, checkout, flow_calls, trme, tmp_path, monkeypatch):
    monkeypatch.setattr(synthesis, "write_results", lambda *_args: None)  # there is no netlist
    report("--measure", "--only", "one")
    kept = json.loads((checkout / "docs/results/one.json").read_text())
    assert kept.pop("failure") is None and kept.pop("date").startswith("20")
    trme(*kept.pop("command").split()[1:], "--json", tmp_path / "synth.json")
    assert kept == json.loads((tmp_path / "synth.json").read_text())


def test_result_of_other_verilog_is_measured_again(report, checkout, flow_calls):
    report("--measure", "--only", "one")
    path = checkout / "docs/results/one.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"verilog_sha256": "0"}))
    flow_calls.clear()
    assert report("--measure", "--only", "one")[0] == 0 and len(flow_calls) == 2
    assert report("--measure", "--only", "one")[1].startswith("one  median 610.0") and len(flow_calls) == 2


def test_missed_target_makes_the_exit_code_1_also_when_known_before(report, flow_calls, checkout):
    path = checkout / "docs/results/measurements.toml"
    path.write_text(MEASUREMENTS.replace("median = 600", "median = 611"))
    for words in (["--measure", "--only", "one"], ["--measure", "--only", "one"]):
        code, out, _ = report(*words)
        assert code == 1 and "MISSED: the median is 610.0 MHz and should be 611; median 610.0, slowest" in out


def test_damaged_result_is_measured_again(report, flow_calls):
    code, out, _ = report("--measure", "--only", "one", one="{")
    assert code == 0 and out.startswith("one  median 610.0")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('device = "ecp5-25k-6"', 'device = "nexus-9"', "three  skipped: there is no device 'nexus-9'"),
        ("copies = 2", "interleave = 2", "three  skipped: modmul has no parameter 'interleave'"),
        ('unit = "modmul", device', 'unit = "dot", device', "three  skipped: there is no unit 'dot'"),
    ],
)
def test_measurement_of_what_is_not_there_yet_is_skipped_with_a_sentence(report, checkout, flow_calls, old, new, sentence):
    (checkout / "docs/results/measurements.toml").write_text(MEASUREMENTS.replace(old, new))
    code, out, _ = report("--measure", "--only", "three")
    assert code == 0 and out.startswith(sentence) and not flow_calls


def test_measurement_that_cannot_be_is_said_before_anything_runs(report, checkout, flow_calls):
    (checkout / "docs/results/measurements.toml").write_text(MEASUREMENTS.replace("modulus = 13", "modulus = 1000"))
    code, _, err = report("--measure")
    assert code == 2 and "the measurement two is of no unit that there can be: modulus must be an integer from 2 to 256" in err
    assert not flow_calls


def test_missing_tool_ends_all_and_leaves_no_result(checkout, monkeypatch):
    def run(*_args, **_options):
        raise ToolMissing("nextpnr-ecp5 is missing")

    monkeypatch.setattr(flow, "run", run)
    row = Plan.read(checkout / "docs/results/measurements.toml").rows[0]
    with pytest.raises(ToolMissing, match="nextpnr-ecp5 is missing"):
        measure(row, order(row), checkout / "docs/results")
    assert not list((checkout / "docs/results").glob("*.json"))


def test_result_that_cannot_be_written_is_one_sentence(checkout, flow_calls):
    row = Plan.read(checkout / "docs/results/measurements.toml").rows[0]
    (checkout / "file").write_text("")
    with pytest.raises(BadInput, match=r"cannot write .*file/one\.json: (File exists|Not a directory)"):
        measure(row, order(row), checkout / "file")


def test_plot_is_drawn_when_a_figure_changed_and_only_then(report, checkout):
    plot = checkout / "docs/results/fmax.svg"
    report()
    assert not plot.exists()
    report(one=result(600.0, 620.0, 640.0))
    first = plot.read_text()
    plot.write_text(first + "\n")
    report(one=result(600.0, 620.0, 640.0, date="2026-01-03"))
    assert plot.read_text() == first + "\n"
    assert report("--check", one=result(600.0, 620.0, 641.0))[0] == 1
    report()
    assert len(plot.read_text()) == len(first) and plot.read_text() != first


def test_plot_has_every_measurement_and_is_the_same_each_time(checkout):
    plan = Plan.read(checkout / "docs/results/measurements.toml")
    (checkout / "docs/results/one.json").write_text(json.dumps(result(600.0, 620.0, 640.0)))
    (checkout / "docs/results/three.json").write_text(json.dumps(result(300.0, 320.0, 340.0)))
    rows = read_rows(plan.rows, checkout / "docs/results").values()
    made = []
    for name in ("a.svg", "b.svg"):
        draw(rows, checkout / name, "the key")
        made.append((checkout / name).read_text())
    assert made[0] == made[1]
    for text in ("modmul modulus=251", "2 copies, with streams", "ecp5-25k-8", "ecp5-25k-6", "the key"):
        assert text in made[0]


def test_device_to_be_taken_with_care_is_marked_and_does_not_stretch_the_plot(report, checkout):
    careful = result(900.0, 950.0, 960.0, caveat="believe nothing", command="trme synth")
    report(one=result(600.0, 620.0, 640.0), three=careful)
    page = (checkout / "docs/results.md").read_text()
    assert "\necp5-25k-6 \u2020, 2 copies, with streams, 3 seeds," in page and "- \u2020 ecp5-25k-6: believe nothing.\n" in page
    assert "\necp5-25k-8, free-running" in page
    rows = read_rows(Plan.read(checkout / "docs/results/measurements.toml").rows, checkout / "docs/results").values()
    draw(rows, checkout / "plot.svg", "the key")
    assert ">950 \u2192<" in (checkout / "plot.svg").read_text() and ">800<" not in (checkout / "plot.svg").read_text()


def test_splice_takes_text_as_it_is():
    assert splice(f"{BEGIN}{END}", "results", r"\1 \g<0>", "page") == f"{BEGIN}\n\n\\1 \\g<0>\n\n{END}"
