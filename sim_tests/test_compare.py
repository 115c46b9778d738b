# SPDX-License-Identifier: Apache-2.0
"""Hardware broken on purpose: every fault must be found, shown and reproduced by the command that is given for it."""

import json
import shlex

import numpy as np
import pytest

from toolchain.errors import BadInput
from trme.compare import Subject, compare
from trme.design import Sequence

# Unit, parameters, what stands in the emitted Verilog, what takes its place.
FAULTS = {
    "mu one less": ("modmul", {"modulus": 251}, "16'h828d", "16'h828c"),
    "mu one more": ("modmul", {"modulus": 251}, "16'h828d", "16'h828e"),
    "modulus one less": ("modmul", {"modulus": 251}, "8'hfb", "8'hfa"),
    "correction at more than m": ("modmul", {"modulus": 253, "method": "classic"}, ">= 8'hfd", "> 8'hfd"),
    "classic mu one more": ("modmul", {"modulus": 253, "method": "classic"}, "9'h103", "9'h104"),
    "compare turned round": ("systolic", {}, "term < accumulator", "term > accumulator"),
    "compare with sign": ("systolic", {}, "term < accumulator", "$signed(term) < $signed(accumulator)"),
    "saturation reaches infinity": ("systolic", {}, "16'h7ffe", "16'h7fff"),
    "no saturation below": ("systolic", {}, "? 16'h8000 : ", "& 1'b0 ? 16'h8000 : "),
    "infinity not seen": ("systolic", {}, "== 15'h7fff", "== 15'h7ffe"),
    "infinity absorbs one side only": ("systolic", {}, "17'h1ffff", "17'h17fff"),
    "drain without hold": ("systolic", {}, "control_o[2] ? drain_i : drain_o", "drain_i"),
    "pause adds an operand": ("systolic", {}, "i__valid ? i__payload[63:48] : 16'h7fff", "i__payload[63:48]"),
    "accumulator kept between tiles": ("systolic", {}, "control_o[0] ? term :", "1'b0 ? term :"),
    "skew of one lane too many": ("systolic", {}, "LANES - 1 - n : n;", "LANES - 1 - n : n + 1;"),
    "product unsigned": ("systolic", {"semiring": "plus-times"}, "$signed(a_o) * $signed(b_o)", "a_o * b_o"),
    "no ready at the end of a run": ("systolic", {}, "spacing <= ", "spacing <= 0 & "),
    "a place too many": ("modmul", {}, "places >= 1'h1", "1'b1"),
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
    stall = 0.5 if fault in ("a place too many", "pause adds an operand") else 0.0
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
    verilog = made.emit().verilog.replace("places >= 1'h1", "places >= 5'h8")
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
