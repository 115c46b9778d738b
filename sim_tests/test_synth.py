# SPDX-License-Identifier: Apache-2.0
"""The FPGA flow: parsing, counting and refusing without tools; a few small designs with them."""

import dataclasses
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time

import pytest

from hdl.manifest import Emission, Manifest, Port, Scalar
from synth import flow, generic, netlist, place, report
from synth.devices import DEVICES, find_device
from synth.errors import NoFmax, NoRegisterPath, TooLarge, Unroutable, Vanished
from synth.wrap import wrap
from toolchain import eda
from toolchain.errors import BadInput, ToolFailed, ToolMissing
from toolchain.process import Programs
from toolchain.store import Store

ECP5 = find_device("ecp5-25k-8")


def emission(text: str, inputs: dict[str, int], outputs: dict[str, int]) -> Emission:
    directions = {"clk": "input", "rst": "input"} | dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    widths = {"clk": 1, "rst": 1} | inputs | outputs
    ports = tuple(Port(n, directions[n], widths[n], False, Scalar(widths[n], False)) for n in directions)
    head = ", ".join(f"{directions[n]} [{widths[n] - 1}:0] {n}" for n in directions)
    return Emission(
        f"module unit({head});\n{text}\nendmodule\n", Manifest("unit", {}, "unit", "clk", "rst", ports, (), 1, 1, "", {})
    )


def sample(**changes) -> str:
    step = {"from": {"cell": "core.a_TRELLIS_FF_Q_3"}, "to": {"cell": "core.sum_CCU2C_S0"}}
    path = [
        {"type": "clk-to-q", "delay": 0.4, **step},
        {"type": "routing", "delay": 1.0, "net": "core.a[3]", "sources": ["core.v:3.1-3.4"], **step},
        {"type": "logic", "delay": 0.5, **step},
        {"type": "setup", "delay": 0.1, "from": step["to"], "to": {"cell": "core.sum_TRELLIS_FF_Q_7"}},
    ]
    value = {
        "fmax": {"$glbnet$clk$TRELLIS_IO_IN": {"achieved": 500.0, "constraint": 550}},
        "utilization": {"TRELLIS_FF": {"used": 7, "available": 24288}, "DCCA": {"used": 0, "available": 56}},
        "critical_paths": [
            {"from": "posedge $glbnet$clk$TRELLIS_IO_IN", "to": "posedge $glbnet$clk$TRELLIS_IO_IN", "path": path}
        ],
    }
    return json.dumps(value | changes)


def test_report_is_read_with_its_critical_path_in_words():
    found = report.parse(sample())
    assert (found.fmax_mhz, found.utilisation) == (500.0, {"TRELLIS_FF": report.Usage(7, 24288)})
    path = found.critical_path
    assert (path.start, path.end, path.through) == ("core.a[3]", "core.sum", {"CCU2C": 1})
    assert path.in_words() == "from core.a[3] to core.sum through 1 CCU2C: 1.00 ns logic, 1.00 ns routing (50 %)"
    assert not path.is_in_wrapper


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("core.a_TRELLIS_FF_Q_DI_LUT4_Z_C_CCU2C_S0_CIN_CCU2C_COUT$CCU2_COMB0", "CCU2C"),
        ("core.a_LUT4_Z_C_CCU2C_S0_LUT4_Z", "LUT4"),
        ("core.p_SB_DFF_Q_D_SB_LUT4_O_I3_SB_CARRY_CO$CARRY", "SB_CARRY"),
        ("core.p_SB_CARRY_CO_I1_SB_LUT4_O_LC", "SB_LUT4"),
        ("core.p_SB_MAC16_O", "SB_MAC16"),
        ("core.sum_FD1P3IX_Q_SP_LUT4_Z_D_CCU2_S1_CIN_CCU2_COUT$ccu2_comb[0]$", "CCU2"),
        ("core.multiply.dsp9.multiplier/MULT9_CORE_x0_z2", "MULT9_CORE"),
        ("core.a_in_CC_MULT_A$col10$row5$mult_lower", "CC_MULT"),
        ("core.node_CC_DFF_Q_D_CC_L2T4_O", "CC_L2T4"),
        ("$gbuf$clk", "other cell"),
    ],
)
def test_kind_of_a_cell_is_the_last_in_its_name(cell, kind):
    value = json.loads(sample())
    value["critical_paths"][0]["path"][2]["to"] = {"cell": cell}
    assert report.parse(json.dumps(value)).critical_path.through == {kind: 1}


def test_paths_from_and_to_pins_are_not_the_critical_path():
    value = json.loads(sample())
    path = value["critical_paths"][0]
    pin = path | {"from": "<async>", "path": [step | {"delay": 9.0} for step in path["path"]]}
    found = report.parse(json.dumps(value | {"critical_paths": [pin | {"from": path["to"], "to": "<async>"}, pin, path]}))
    assert found.critical_path == report.parse(sample()).critical_path


def test_slowest_figure_of_the_clock_counts_and_other_clocks_do_not():
    clocks = {"other": {"achieved": 3.0}, "clk": {"achieved": 500.0}, "$glbnet$clk": {"achieved": 400.0}}
    assert report.parse(sample(fmax=clocks)).fmax_mhz == 400.0


def test_path_that_does_not_touch_the_unit_is_said_to_lie_in_the_wrapper():
    assert report.parse(sample().replace("core.", "feed")).critical_path.is_in_wrapper


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (sample()[:200], NoFmax, "cut off or damaged after 200 characters"),
        ("", NoFmax, "cut off or damaged after 0 characters"),
        ("{}", NoFmax, "lacks fmax, utilization or critical_paths"),
        (sample(fmax={"other": {"achieved": 3.0}}), NoFmax, "says nothing of the clock 'clk', but of ['other']"),
        (sample(fmax={}), NoFmax, "says nothing of the clock 'clk', but of none"),
        (sample(fmax={"clk": {"achieved": 0.0}}), NoFmax, "gives 0.0 MHz"),
        (sample(fmax={"clk": {}}), NoFmax, "has not the form that it should have at 'achieved'"),
        (sample(fmax={}, critical_paths=[]), NoRegisterPath, "no path leads from register to register"),
    ],
)
def test_report_without_a_figure_is_an_error_with_its_own_sentence(text, error, words):
    with pytest.raises(error) as caught:
        report.parse(text)
    assert words in str(caught.value)


def test_wrapper_registers_every_bit_and_needs_four_pins():
    made = emission("assign y = a ^ {b, b};", {"a": 4, "b": 2}, {"y": 4})
    text = wrap(made.manifest)
    assert text.startswith("module trme_bench (input clk, input rst, input serial_in, output serial_out);")
    assert text.count("unit core") == 1 and ".a(feed[0 +: 4])" in text and ".y(results[0 +: 4])" in text
    assert "reg [5:0] feed;" in text and "reg [3:0] capture, chain;" in text


def test_copies_share_nothing_but_the_way_through_all_of_them():
    made = emission("assign y = a ^ {b, b};", {"a": 4, "b": 2}, {"y": 4})
    text = wrap(made.manifest, copies=2)
    assert text.count("unit core") == 2 and ".a(feed[0 +: 4])" in text and ".a(feed1[0 +: 4])" in text
    assert "reg [7:0] feed;" in text and "feed1 <= {feed1, feed[7]}" in text  # two registers from one copy to the next
    assert "chain1 <= {chain1, chain[5]} ^ capture1;" in text and "assign serial_out = chain1[3];" in text
    assert "reset1 <= {reset1[0], reset[3]}" in text and text.count(".rst(reset[1])") == text.count(".rst(reset1[1])") == 1


def test_repeated_modules_are_synthesised_once_and_cells_are_counted_through_them():
    statistics = json.dumps({"modules": {
        "\\top": {"num_cells_by_type": {"row": 3, "$dff_2": 1}},
        "\\row": {"num_cells_by_type": {"pe": 2, "trme_multiply": 2}},
        "\\pe": {"num_cells_by_type": {"$dff_5": 1, "$sdffe_4": 2}}, "\\trme_multiply": {"num_cells_by_type": {"$dff_8": 4}},
    }})  # fmt: skip
    assert netlist.repeated_modules(statistics, "top") == ["pe"]
    assert netlist.register_bits(netlist.count_cells(statistics, "top")) == 2 + 6 * 13 + 6 * 32
    assert netlist.register_bits(netlist.count_cells(statistics, "top", without="trme_multiply")) == 2 + 6 * 13


def test_devices_have_distinct_names_and_an_unknown_one_is_refused_with_the_nearest():
    assert len({device.name for device in DEVICES}) == len(DEVICES)
    with pytest.raises(BadInput, match=r"there is no device 'ecp5-25k-9': did you mean ecp5-25k-\d\? 'trme devices' lists all"):
        find_device("ecp5-25k-9")


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A nextpnr on PATH that does what a test tells it in shell, and a netlist to give it."""

    def make(script: str):
        path = tmp_path / "nextpnr-ecp5"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        (tmp_path / "n.json").write_text("{}")
        made = netlist.Netlist(tmp_path / "n.json", tmp_path / "n.v", {}, {}, {}, (0, 0), (0, 0), True)
        program = eda.Program("nextpnr-ecp5", path, "fake")
        store = Store(tmp_path / "store")
        with Programs() as programs:
            return place.place_and_route(made, ECP5, "default", (), 500.0, 1, program, programs, store)

    return make


@pytest.mark.parametrize(
    ("message", "error", "words"),
    [
        (
            "ERROR: Unable to place cell 'x', no Bels remaining of type 'DP16KD'",
            TooLarge,
            "does not fit ecp5-25k-8: Unable to place",
        ),
        (
            "ERROR: Failed to route arc 0.0 of net 'clk'",
            Unroutable,
            "no way to route the design on ecp5-25k-8: Failed to route",
        ),
    ],
)
def test_design_that_nextpnr_refuses_is_a_failure_that_is_kept(fake, message, error, words):
    attempt = fake(f'echo "{message}"; exit 125')
    assert isinstance(attempt.failure, error) and words in str(attempt.failure)
    assert attempt.fmax_mhz is None and not attempt.cache_hit
    assert fake(f'echo "{message}"; exit 125').cache_hit


def test_crash_of_nextpnr_is_an_error_and_not_kept(fake, tmp_path):
    with pytest.raises(ToolFailed, match=r"nextpnr-ecp5 ended with code -?\d+: it printed nothing"):
        fake("kill -SEGV $$")
    assert not list((tmp_path / "store").glob("*/outcome.json"))


@pytest.mark.parametrize(("script", "words"), [("exit 0", "damaged after 0"), ("echo '{' > report.json", "damaged after 2")])
def test_missing_or_truncated_report_is_an_error_and_not_kept(fake, script, words, tmp_path):
    with pytest.raises(NoFmax, match=words):
        fake(script)
    assert not list((tmp_path / "store").glob("*/outcome.json"))


def test_missing_nextpnr_is_named_with_what_to_install(monkeypatch):
    eda.find_program.cache_clear()
    monkeypatch.setattr(eda.sys, "executable", "/nowhere/python")
    with pytest.raises(ToolMissing, match="nextpnr-ecp5 is missing: run 'make setup EXTRAS=synth', or pip install"):
        eda.find_program("nextpnr-ecp5")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolMissing, match="--native asks for nextpnr-ecp5 on PATH, and there is none"):
        eda.find_program("nextpnr-ecp5", native=True)
    eda.find_program.cache_clear()


@pytest.mark.simulator
def test_two_first_runs_of_a_program_do_not_disturb_each_other(tmp_path):
    """YoWASP writes what it compiles in place: the second that starts meanwhile would read half a file."""
    code = (
        "import contextlib\n"
        "from toolchain.eda import find_program\n"
        "from toolchain.process import ProgramEnded, run\n"
        "program = find_program('icepack')\n"
        "with contextlib.suppress(ProgramEnded):  # it has no input\n"
        "    run([program.path, '--help'])\n"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "YOWASP_CACHE_DIR": str(tmp_path / "yowasp")}
    started = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    said = [program.communicate()[1] for program in started]
    assert [program.returncode for program in started] == [0, 0, 0]
    assert sum("preparing icepack for its first run" in text for text in said) == 1


def test_design_too_large_is_refused_with_used_against_available():
    core = {"LUT": 30000, "FF": 5, "DSP": 0, "BRAM": 0}
    made = netlist.Netlist(None, None, {}, core, dict.fromkeys(core, 1), (5, 5), (0, 0), True)
    with pytest.raises(TooLarge, match="unit needs 30001 LUT with its measuring wrapper, and ecp5-25k-8 has 24288"):
        flow.check_room(made, ECP5, "unit")


def attempts(*fmax):
    return tuple(
        place.Attempt(n, "default", report.Report(f, {}, None) if f else None, None if f else Unroutable("no way"), 0.0, True)
        for n, f in enumerate(fmax, start=1)
    )


def test_target_is_met_by_the_median_if_no_seed_failed():
    result = flow.Result(ECP5, 500.0, None, attempts(490.0, 510.0, 520.0))
    assert dataclasses.astuple(result.summary()) == (490.0, 510.0, 520.0, 2 / 3) and result.met is True
    assert flow.Result(ECP5, 511.0, None, attempts(490.0, 510.0, 520.0)).met is False
    assert flow.Result(ECP5, 500.0, None, attempts(510.0, None, 520.0)).met is False
    assert flow.Result(ECP5, None, None, attempts(510.0)).met is None
    nothing = flow.Result(ECP5, 500.0, None, attempts(None, None))
    assert nothing.summary() is None and isinstance(nothing.failure, Unroutable)


@pytest.mark.simulator
def test_constant_and_unused_logic_is_noticed():
    text = "reg [7:0] p, q; always @(posedge clk) begin p <= 8'd0; q <= p + 8'd3; end assign y = a[0] ^ q[0];"
    with pytest.raises(Vanished, match="the netlist of unit has 0 register bits and the Verilog 16"):
        flow.run(emission(text, {"a": 8}, {"y": 1}), ECP5)


@pytest.mark.simulator
def test_unit_of_wires_has_no_register_path():
    with pytest.raises(NoRegisterPath, match="nothing of unit is left after synthesis but wires"):
        flow.run(emission("assign y = a;", {"a": 8}, {"y": 8}), ECP5)


@pytest.mark.simulator
def test_carry_chain_is_placed_on_nexus():
    text = "reg [11:0] s; always @(posedge clk) s <= s + a; assign y = s;"
    result = flow.run(emission(text, {"a": 12}, {"y": 12}), find_device("nexus-lifcl-40"))
    assert result.netlist.cells["CCU2"] >= 6 and result.summary().min > 50
    assert result.critical_path.through.keys() <= {"CCU2", "LUT4"}


@pytest.mark.simulator
def test_generic_target_counts_tables_gates_and_depth():
    result = generic.run(emission("reg [7:0] s; always @(posedge clk) s <= a ^ s; assign y = s;", {"a": 8}, {"y": 8}))
    assert result.counts == {"lut4": 8, "lut6": 8, "gates": 8} and set(result.depths.values()) == {1}
    assert (result.register_bits, result.memory_bits) == (8, 0)


@pytest.mark.simulator
@pytest.mark.parametrize(
    "arguments",
    [
        ["modmul", "--method", "fold", "--verify", "all"],
        ["modmul", "--modulus", "253", "--streams", "--verify", "all"],
        ["modmul", "--modulus", "255", "--method", "fold", "--no-dsp", "--verify", "all"],
        ["systolic", "--rows", "3", "--cols", "2", "--streams", "--verify", "20000"],
        ["modmul", "--device", "ice40-hx8k", "--method", "fold", "--verify", "1000"],
    ],
    ids=lambda words: "-".join(word.strip("-") for word in words),
)
def test_netlist_of_a_unit_agrees_with_golden(trme, tmp_path, arguments):
    out = tmp_path / "out.json"
    code, text, _ = trme("synth", *arguments, "--seeds", "1", "--freq", "20", "-o", tmp_path / "o", "--json", out)
    assert code == 0 and "MET  the median of" in text and "0 mismatches with golden" in text
    found = json.loads(out.read_text())
    assert found["met"] is True and found["fmax_mhz"]["min"] > 20 and found["verified"]["mismatches"] == 0
    assert found["register_bits"]["found"] >= 0.8 * found["register_bits"]["expected"] > 0
    assert (tmp_path / "o" / "timing.png").stat().st_size > 10_000


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 50 pages of 4 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.simulator
@pytest.mark.parametrize("full", ["cache", "output", "json"])
def test_full_disk_is_one_sentence_and_leaves_nothing_half_written(trme, small_disk, tmp_path, monkeypatch, full):
    pages_left = {"cache": 2, "output": 6, "json": 0}[full]
    (small_disk / "filler").write_bytes(bytes((50 - pages_left) * 4096))
    paths = {name: small_disk if name == full else tmp_path for name in ("cache", "output", "json")}
    if full == "cache":
        monkeypatch.setenv("XDG_CACHE_HOME", str(small_disk))
    code, _, err = trme(
        "synth", "modmul", "--modulus", "11", "--device", "ecp5-25k-8" if full == "output" else "generic",
        "--seeds", 1, "-o", paths["output"] / "o", "--json", paths["json"] / "out.json",
    )  # fmt: skip
    sentence = err.strip().splitlines()[-1]
    assert code == 2
    assert sentence.startswith("trme: ") and str(small_disk) in sentence
    assert "no room is left on the disk" in sentence or "No space left on device" in sentence
    ours = [small_disk / "filler", *(small_disk / "trme").rglob("*"), *(small_disk / "o").rglob("*")]
    left = {path.name for path in ours if path.is_file() and path.suffix != ".lock"}
    assert left <= {"filler", "modmul.v", "manifest.json", "netlist.v", "netlist.json"}


@pytest.mark.simulator
def test_interrupted_runs_are_kept(tmp_path):
    seed = time.time_ns() // 1_000_000_000 % 1_000_000_000  # such that nothing is kept of it yet
    command = [sys.executable, "-m", "trme", "synth", "modmul", "--modulus", "11", "--method", "fold"]
    command += ["--seed", str(seed), "--jobs", "2", "-o", tmp_path / "o", "--json", tmp_path / "out.json", "--seeds"]
    first = subprocess.Popen(
        [*command, "500"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    for line in first.stderr:
        if " runs, " in line:  # some are done, and many are not
            break
    begin = time.monotonic()
    os.killpg(first.pid, signal.SIGINT)  # as a terminal does it
    kept, interrupted = first.communicate(timeout=60)[1].splitlines()
    assert time.monotonic() - begin < 10
    assert first.returncode == 130 and interrupted == "trme: interrupted"
    n_kept = int(re.fullmatch(r"(\d+) of 500 runs are kept: the same command goes on from there", kept)[1])
    assert 0 < n_kept < 500
    again = subprocess.run([*command, str(n_kept)], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    hits = sum(attempt["cache_hit"] for attempt in json.loads((tmp_path / "out.json").read_text())["seeds"])
    assert hits >= n_kept - 1  # two at a time, so that the last that is kept may be one further


@pytest.mark.simulator
def test_missed_target_says_where_and_exits_with_1(trme, tmp_path):
    words = ["synth", "modmul", "--method", "fold", "--seeds", "1", "--freq", "2000", "-o", tmp_path / "o"]
    code, text, _ = trme(*words)
    assert code == 1 and "critical  from " in text and "MISSED  the median of" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--device", "ecp6"], "there is no device 'ecp6'"),
        (["--freq", "0"], "--freq must be from 1 to 2000 MHz, not 0"),
        (["--seeds", "0"], "--seeds must be from 1 to 1000, not 0"),
        (["--copies", "0"], "--copies must be from 1 to 256, not 0"),
        (["--jobs", "0"], "--jobs must be 1 or more, not 0"),
        (["--verify", "some"], "--verify must be a number of vectors from 1, or 'all', not 'some'"),
        (["--strategy", "luck"], "--strategy 'luck' is not known: default, ripup, eager"),
        (["--no-dsp"], "no_dsp goes with method fold"),
    ],
)
def test_bad_option_is_one_sentence(trme, words, sentence):
    code, _, err = trme("synth", "modmul", *words)
    assert code == 2 and sentence in err and err.count("\n") == 1
