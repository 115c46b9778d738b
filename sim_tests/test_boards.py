# SPDX-License-Identifier: Apache-2.0
"""Boards, and self-tests packed for two of them."""

import json
import zlib
from pathlib import Path

import pytest

from hdl.board import OnBoard
from synth.bitstream import Built, build, steps, timing
from synth.boards import boards, find_board
from synth.errors import TooLarge
from toolchain.eda import find_program
from toolchain.errors import BadInput, ToolMissing
from trme import selftest


def with_programs(*names):
    for name in names:
        try:
            find_program(name)
        except ToolMissing as error:
            pytest.skip(str(error))


def test_boards_are_those_with_something_to_show():
    by_name = {board.name: board for board in boards()}
    assert {"icebreaker", "ulx3s-85f", "orangecrab-r0-2-85f", "ecp5-5g-evn", "ice40-hx8k-b-evn", "upduino-v3"} <= by_name.keys()
    assert not {"tinyfpga-ax1", "arty-a7", "butterstick"} & by_name.keys()
    board = by_name["ulx3s-85f"]
    assert (board.family, board.part, board.clock_mhz, board.has_uart) == ("ecp5", "LFE5U-85F-6BG381", 25.0, True)
    assert "led 1 on: passed" in board.lights_in_words
    assert "green on: passed" in by_name["orangecrab-r0-2-85f"].lights_in_words


def test_every_board_can_be_planned():
    for board in boards():
        todo = steps(board, OnBoard("nothing", board.lights, board.has_uart), "")
        assert todo.commands[0][0] == "yosys", board.name
        assert len(todo.commands) == 3, board.name
        constraints = next(text for name, text in todo.files.items() if name.endswith((".lpf", ".pcf")))
        assert constraints.count("uart_0__tx__io") >= board.has_uart, board.name
        assert any(word in board.load_command(Path("FILE.bit")) for word in ("FILE.bit", "FILE.svf", "maker")), board.name


def test_unknown_boards_are_refused_with_near_names():
    with pytest.raises(
        BadInput, match=r"no board 'orangecrab-85f'.*did you mean .*orangecrab-r0-2-85f.*'trme devices' lists all"
    ):
        find_board("orangecrab-85f")
    with pytest.raises(BadInput, match=r"no board 'ulx3s'.*did you mean ulx3s-12f"):
        find_board("ulx3s")
    with pytest.raises(BadInput, match=r"board 'butterstick' has neither a LED nor a UART that amaranth-boards knows"):
        find_board("butterstick")


@pytest.mark.parametrize("name", ["icebreaker", "ulx3s-25f"])
def test_bitstreams_are_packed(design, name, tmp_path):
    board = find_board(name)
    with_programs("yosys", *{"ice40": ("nextpnr-ice40", "icepack"), "ecp5": ("nextpnr-ecp5", "ecppack")}[board.family])
    made = design("modmul")
    bitstream = selftest.build_bitstream(made, name, tmp_path)
    assert bitstream.met
    assert bitstream.built.fmax_mhz > board.clock_mhz == bitstream.built.clock_mhz
    data = bitstream.built.bitstream.read_bytes()
    preamble = {"ice40": bytes.fromhex("7eaa997e"), "ecp5": bytes.fromhex("ffffbdb3")}[board.family]
    assert preamble in data[:256]
    assert len(data) > 50_000
    assert len(zlib.compress(data)) > 5_000  # not just zeros
    assert "module trme_selftest" in bitstream.verilog.read_text()
    assert (
        f"UART    115200 baud, 8N1: TRME modmul {made.configuration} PASS {bitstream.plan.signature:08x}"
        in bitstream.in_words()
    )
    assert str(bitstream.built.bitstream) in bitstream.load_command
    assert bitstream.as_json()["met"] is True
    assert all((tmp_path / file).stat().st_size for file in bitstream.as_json()["files"])
    assert selftest.build_bitstream(made, name, tmp_path).built.cache_hit


def report(**fmax_mhz):
    fmax = {name: {"achieved": fmax, "constraint": 12} for name, fmax in fmax_mhz.items()}
    return json.dumps({"fmax": fmax, "utilization": {}, "critical_paths": []})


@pytest.mark.parametrize(
    ("divide", "fmax_mhz", "expected"),
    [
        (1, {"clk48_0__io": 48.0}, (48.0, True)),
        (1, {"clk48_0__io": 47.9}, (47.9, False)),
        (2, {"clk48_0__io": 90.0, "divided_clk": 24.0}, (24.0, True)),
        (2, {"clk48_0__io": 90.0, "divided_clk": 23.9}, (23.9, False)),
        (2, {"clk48_0__io": 47.9, "divided_clk": 30.0}, (30.0, False)),
    ],
)
def test_a_missed_clock_is_not_called_good(design, tmp_path, divide, fmax_mhz, expected):
    board = find_board("fomu-pvt")
    (tmp_path / "report.json").write_text(report(**fmax_mhz))
    assert timing(tmp_path, board, divide) == expected
    made = design("modmul")
    (tmp_path / "a.bin").write_bytes(b"")
    built = Built(tmp_path / "a.bin", (), 48 / divide, *expected, True)
    bitstream = selftest.Bitstream(made, board, selftest.plan(made), tmp_path / "a.v", built)
    assert ("TIMING MISSED" in bitstream.in_words()) == (not bitstream.met) == (not expected[1])
    assert f"clock   {48 // divide} MHz, the board has 48 MHz" in bitstream.in_words()


def test_a_clock_that_is_missed_is_divided(design, tmp_path, monkeypatch):
    asked = []

    def pretend(board, top, verilog, name, folder, *, divide, **options):
        asked.append(divide)
        assert top.divide == divide
        return Built(tmp_path / "a.bin", (), board.clock_mhz / divide, 13.0, board.clock_mhz / divide <= 13, False)

    monkeypatch.setattr(selftest, "build", pretend)
    assert selftest.build_bitstream(design("modmul"), "fomu-pvt", tmp_path).met
    assert asked == [1, 2, 4]
    asked.clear()
    assert selftest.build_bitstream(design("modmul"), "ice40-hx1k-blink-evn", tmp_path).met
    assert asked == [1]  # 3.3 MHz: any slower is too slow for the UART


def test_a_divided_clock_drives_the_self_test():
    board = find_board("fomu-pvt")
    todo = steps(board, OnBoard("nothing", board.lights, board.has_uart, 4), "", divide=4)
    assert "divided_clk" in todo.files["trme_board.il"]
    assert [words[words.index("--freq") + 1] for name, words in todo.commands if name == "nextpnr-ice40"] == ["12"]


def test_what_does_not_fit_is_said(tmp_path):
    with_programs("yosys", "nextpnr-ice40", "icepack")
    board = find_board("icestick")
    large = """module large(input clk, input rst, output blink, output passed, output failed, output tx);
      reg [1999:0] chain;
      always @(posedge clk) chain <= {chain[1998:0], rst};
      assign blink = chain[1999];
    endmodule"""
    with pytest.raises(TooLarge, match=r"the self-test of large does not fit icestick, take a larger board, or smaller"):
        build(board, OnBoard("large", board.lights, board.has_uart), large, "large", tmp_path)


def test_a_packer_that_knows_no_version_is_found(tmp_path, monkeypatch):
    packer = tmp_path / "icepack"
    packer.write_text("#!/bin/sh\necho Usage: icepack >&2\nexit 1\n")
    packer.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert find_program.__wrapped__("icepack", native=True).version == f"of unknown version, {packer}"
