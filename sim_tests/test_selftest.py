# SPDX-License-Identifier: Apache-2.0
"""The self-test as it is put on boards: simulated with its lights and its line watched."""

import re

import pytest

import cosim
from golden.signature import addresses
from hdl.manifest import Emission
from hdl.selftest import BAUD, Unit
from toolchain.errors import BadInput
from trme import selftest
from trme.catalog import find
from trme.design import Design

CLOCK_MHZ = 12.0
DIVISOR = round(CLOCK_MHZ * 1e6 / BAUD)
LONGEST_RUN_CYCLES = 1_000_000


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
        (r"i__ready <= (\w+);", r"i__ready <= fault[0] != 1 & \1;"),
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


def test_a_clock_too_slow_for_the_uart_is_refused(design):
    made = design("modmul")
    with pytest.raises(BadInput, match=r"clock_hz must be at least 3 MHz for 115200 baud, not 2000000\.0"):
        selftest.emit_selftest(made, selftest.plan(made), 2.0)
