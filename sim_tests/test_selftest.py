# SPDX-License-Identifier: Apache-2.0
"""The self-test as it is put on boards: simulated with its lights and its line watched, and packed for two of them."""

import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from amaranth.sim import Simulator

import cosim
from golden.signature import ADDRESS_BITS, PERIOD, START, STATE_BITS, TAPS, addresses, signature
from hdl.board import OnBoard
from hdl.manifest import Emission
from hdl.selftest import BAUD, Unit
from hdl.signature import Lfsr, Source
from hdl.uart import LineSender, UartTransmitter
from synth.bitstream import build, steps
from synth.boards import boards, find_board
from synth.errors import TooLarge
from toolchain.eda import find_program
from toolchain.errors import BadInput, ToolMissing
from trme import selftest
from trme.catalog import find
from trme.design import Design

CLOCK_MHZ = 12.0
DIVISOR = round(CLOCK_MHZ * 1e6 / BAUD)
LONGEST_RUN_CYCLES = 1_000_000


def with_programs(*names):
    for name in names:
        try:
            find_program(name)
        except ToolMissing as error:
            pytest.skip(str(error))


class Board:
    """A self-test that runs, and somebody who looks at it."""

    def __init__(self, emission, tools, **options):
        self.model = cosim.build(emission.verilog, emission.manifest, tools, **options)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.model.close()

    def lights(self):
        return tuple(int(self.model.peek(name)) for name in ("passed", "failed"))

    def line(self):
        """The next line that a terminal at 115200 baud shows."""
        line = bytearray()
        while not line.endswith(b"\r\n"):
            begin = self.model.cycles
            while self.model.peek("tx"):
                self.model.step(DIVISOR // 8)
                assert self.model.cycles < begin + LONGEST_RUN_CYCLES, f"only {bytes(line)} came"
            self.model.step(DIVISOR // 2)
            assert not self.model.peek("tx")  # the middle of the start bit, or little after
            bits = []
            for _ in range(9):
                self.model.step(DIVISOR)
                bits.append(int(self.model.peek("tx")))
            assert bits.pop() == 1
            line.append(sum(bit << n for n, bit in enumerate(bits)))
        return line.decode().removesuffix("\r\n")


def shift(state):
    """One bit on, by the definition."""
    return state >> 1 | (sum(state >> tap for tap in TAPS) & 1) << STATE_BITS - 1


def test_addresses_are_those_of_a_register_that_moves_bit_by_bit():
    state, expected = START, []
    for _ in range(PERIOD):
        expected.append(state & (1 << ADDRESS_BITS) - 1)
        for _ in range(ADDRESS_BITS):
            state = shift(state)
    assert state == START
    assert (addresses(PERIOD) == expected).all()
    assert (addresses(100) == expected[:100]).all()
    assert len(addresses(0)) == 0


def test_every_address_follows_every_other_once():
    order = addresses(PERIOD).astype(int)
    pairs = order * 256 + np.roll(order, -1)
    assert sorted(pairs) == [*range(1, 1 << STATE_BITS)]


def test_signature_is_the_crc_bit_by_bit():
    rows = np.random.default_rng(1).integers(0, 256, (20, 3), np.uint8)
    crc = 0xFFFFFFFF
    for byte in rows.ravel():
        for n in range(8):
            low = (crc ^ int(byte) >> n) & 1
            crc = crc >> 1 ^ (0xEDB88320 if low else 0)
    assert signature(rows) == crc ^ 0xFFFFFFFF
    assert signature(np.frombuffer(b"123456789", np.uint8).reshape(3, 3)) == 0xCBF43926  # the check value of all catalogues


def test_lfsr_goes_through_the_addresses_and_starts_again():
    dut = Lfsr()
    order = addresses(40)

    async def bench(ctx):
        for n in range(40):
            assert ctx.get(dut.address) == order[n]
            ctx.set(dut.step, 0)
            await ctx.tick()
            assert ctx.get(dut.address) == order[n]
            ctx.set(dut.step, 1)
            await ctx.tick()
        ctx.set(dut.restart, 1)
        await ctx.tick()
        assert ctx.get(dut.address) == order[0]

    simulate(dut, bench)


def test_source_offers_its_words_in_order_whoever_pauses():
    rng = np.random.default_rng(2)
    words = [int(word) for word in rng.integers(0, 1 << 12, 256)]
    dut = Source(words, 12, 30)

    async def bench(ctx):
        for pauses in (0.0, 0.6):
            taken, cycles = [], 0
            while not ctx.get(dut.is_done):
                ready = rng.random() >= pauses
                ctx.set(dut.o.ready, ready)
                if ctx.get(dut.o.valid) and ready:
                    taken.append(ctx.get(dut.o.payload))
                await ctx.tick()
                cycles += 1
            assert taken == [words[n] for n in addresses(30)]
            assert pauses or cycles == 31
            ctx.set(dut.restart, 1)
            await ctx.tick()
            ctx.set(dut.restart, 0)

    simulate(dut, bench)


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


CASES = {
    "modmul": ("modmul", {}),
    "systolic": ("systolic", {"rows": 2, "cols": 2, "width": 8}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_unit_that_works_passes_and_says_so(design, tools, case):
    name, parameters = CASES[case]
    made = design(name, **parameters)
    plan = selftest.plan(made)
    with Board(selftest.emit_selftest(made, plan, CLOCK_MHZ), tools) as board:
        assert board.lights() == (0, 0)
        assert board.line() == f"TRME {name} {made.configuration} PASS {plan.signature:08x}"
        assert board.lights() == (1, 0)
        assert board.model.cycles > plan.n_words
        assert not board.model.peek("blink")
        board.model.step((1 << 23) - board.model.cycles)  # a hundred runs on: nothing that one leaves disturbs the next
        assert board.lights() == (1, 0)
        assert board.line() == f"TRME {name} {made.configuration} PASS {plan.signature:08x}"
        assert board.model.peek("blink")


FAULTS = ("none", "never ready", "never valid", "results without end", "wrong constant", "one wrong bit in the fourth run")


def breakable(verilog, n_results):
    """The Verilog of modmul with a memory of one word that says which fault it has, so that all of them are one build."""
    top = re.search(r"module modmul\(.*?endmodule", verilog, re.DOTALL)[0]
    broken = top
    for old, new in (
        # Counts the results of all runs, whatever is reset.
        (r"\);", ");\n  reg [2:0] fault [0:0];\n  wire [7:0] sound_payload;\n  reg [31:0] results = 0;"),
        (r"assign i__ready =", "assign i__ready = fault[0] != 1 &"),
        (r"o__valid <= (\w+);", r"o__valid <= fault[0] == 3 | fault[0] != 2 & \1;"),
        (r"\.r_data\(o__payload\)", ".r_data(sound_payload)"),
        (r"endmodule", f"""\
  always @(posedge clk) results <= results + (o__valid & o__ready);
  assign o__payload = sound_payload ^ (fault[0] == 5 & results == {3 * n_results + 9});
endmodule"""),
    ):  # fmt: skip
        broken, n = re.subn(old, new, broken, count=1)
        assert n, old
    verilog, constant, rest = verilog.replace(top, broken).partition("16'h828d")
    assert constant
    return f"{verilog}(modmul.fault[0] == 4 ? 16'h828e : 16'h828d){rest}"


@pytest.fixture(scope="module")
def broken(tools):
    unit = find("modmul")
    made = Design(unit, unit.load("parameters")())
    plan, sound = selftest.plan(made), made.emit()
    verilog = breakable(sound.verilog, plan.n_results)
    emission = selftest.emit_selftest(made, plan, CLOCK_MHZ, Emission(verilog, sound.manifest))
    return plan, lambda: Board(emission, tools, memories=["modmul.fault"])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_unit_that_is_broken_fails_and_stays_so(broken, fault):
    plan, make = broken
    number = FAULTS.index(fault)
    with make() as board:
        board.model.load_memory("unit.fault", [number])
        line = board.line()
        assert line.startswith("TRME modmul modulus=251 ")
        at_once = 1 <= number <= 4
        assert ("FAIL" in line) == (int(line[-8:], 16) != plan.signature) == at_once
        assert board.lights() == (not at_once, at_once)
        board.model.step(5 * plan.n_words)
        assert board.lights() == (fault == "none", fault != "none")
        board.model.load_memory("unit.fault", [0])
        board.model.step(5 * plan.n_words)
        assert board.lights() == (fault == "none", fault != "none")  # once is enough


def test_uart_sends_what_the_standard_says():
    dut = UartTransmitter(3)

    async def bench(ctx):
        assert ctx.get(dut.tx) == 1
        ctx.set(dut.i.payload, 0xA6)
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        seen = []
        for _ in range(30):
            seen.append(ctx.get(dut.tx))
            assert not ctx.get(dut.i.ready)
            await ctx.tick()
        assert seen == [bit for bit in (0, 0, 1, 1, 0, 0, 1, 0, 1, 1) for _ in range(3)]
        assert ctx.get(dut.i.ready)

    simulate(dut, bench)


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="divisor must be at least 2 cycles per bit, not 1"):
        UartTransmitter(1)
    with pytest.raises(ValueError, match="title must be printable ASCII, not 'Ä'"):
        LineSender("Ä")
    with pytest.raises(ValueError, match="words must be 256 payloads, not 3"):
        Source([1, 2, 3], 8, 10)
    with pytest.raises(ValueError, match="n must be from 1 to 65535 transfers, not 65536"):
        Source([0] * 256, 8, 65536)


def test_a_unit_without_streams_is_refused(design):
    bare = design("modmul").emit(free_running=True)
    with pytest.raises(
        ValueError, match="a self-test needs a unit with one stream in and one out, both with ready, and modmul"
    ):
        Unit(bare)
    made = design("modmul")
    with pytest.raises(BadInput, match="a self-test needs a unit with one stream in and one out"):
        selftest.emit_selftest(made, selftest.plan(made), CLOCK_MHZ, bare)


@pytest.mark.parametrize("depth", [256, 32, 2])
def test_a_plan_is_found_however_short_tiles_must_be(design, depth):
    made = design("systolic", rows=2, cols=2, depth=depth)
    plan = selftest.plan(made, seed=3)
    transfers = plan.words[addresses(plan.n_words)]
    assert len(plan.words) == 256
    assert len(made.golden(transfers)) == plan.n_results > 10_000
    assert transfers["last"][-1]  # nothing is left over in the unit


def test_a_seed_makes_a_plan(design):
    made = design("modmul")
    assert selftest.plan(made, 1).signature == selftest.plan(made, 1).signature != selftest.plan(made, 2).signature


def test_no_plan_is_said(design, monkeypatch):
    made = design("modmul")
    monkeypatch.setattr(type(made), "golden", lambda self, transfers: transfers[:0])
    with pytest.raises(BadInput, match=r"modmul modulus=251 .*has no self-test: no 256 transfers .* take other parameters"):
        selftest.plan(made)


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


def test_a_missed_clock_is_not_called_good_and_a_slower_one_is(design, tmp_path, monkeypatch):
    with_programs("yosys", "nextpnr-ice40", "icepack")
    made = design("modmul")
    monkeypatch.setattr(selftest, "_DIVIDES", (1,))
    bitstream = selftest.build_bitstream(made, "upduino-v3", tmp_path)
    assert not bitstream.met
    assert bitstream.built.fmax_mhz < bitstream.built.clock_mhz == 48
    assert "clock   48 MHz, the board has 48 MHz" in bitstream.in_words()
    assert "TIMING MISSED" in bitstream.in_words()
    monkeypatch.setattr(selftest, "_DIVIDES", (2,))
    bitstream = selftest.build_bitstream(made, "upduino-v3", tmp_path)
    assert bitstream.met
    assert bitstream.built.fmax_mhz > bitstream.built.clock_mhz == 24
    assert "clock   24 MHz, the board has 48 MHz" in bitstream.in_words()


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
