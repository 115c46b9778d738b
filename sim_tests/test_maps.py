# SPDX-License-Identifier: Apache-2.0
"""The technology maps in synth/maps/: netlists of Yosys against arithmetic, without place and route."""

import json

import numpy as np
import pytest

import cosim
from hdl.manifest import Emission, Manifest, Port, Scalar
from hdl.multiply import MULTIPLY_CYCLES, Multiplier
from synth import netlist
from synth.devices import DEVICES, Family
from synth.models import simulation_models
from toolchain.eda import find_program
from toolchain.errors import ToolMissing
from toolchain.process import Programs

WIDEST = {"ecp5": 18, "gowin": 18, "ice40up": 16, "nexus": 18}
"""Bits of an operand that a family's DSP takes."""
IN_FABRIC = {"nexus": 1}
"""Registers of a mapped multiplier that are not in the DSP, where some are not."""


@pytest.fixture
def synthesise(tools):
    """From Verilog to a family's netlist, kept like a build."""

    def run(family: str, text: str, made: Manifest) -> tuple[netlist.Netlist, Family]:
        device = next(device for device in DEVICES if device.family.name == family)
        try:
            yosys = find_program("yosys")
        except ToolMissing as missing:
            pytest.skip(str(missing))
        with Programs() as programs:
            return netlist.synthesise(Emission(text, made), device, yosys, programs, tools.store), device.family

    return run


def manifest(inputs: dict[str, int], outputs: dict[str, int]) -> Manifest:
    """Of a module ``unit`` with these ports of so many bits, a clock, and a reset that does nothing."""
    inputs = {"clk": 1, "rst": 1} | inputs
    ports = [Port(name, "input", width, False, Scalar(width, False)) for name, width in inputs.items()]
    ports += [Port(name, "output", width, False, Scalar(width, False)) for name, width in outputs.items()]
    return Manifest("unit", {}, "unit", "clk", "rst", tuple(ports), (), 0, 0, "", {})


def module(made: Manifest, body: str) -> str:
    head = ", ".join(f"{port.direction} [{port.width - 1}:0] {port.name}" for port in made.ports)
    return f"module unit({head});\n{body}endmodule\n"


def product(a: int, b: int, a_width: int, b_width: int, is_signed: int) -> int:
    if is_signed:
        a -= a >> (a_width - 1) << a_width
        b -= b >> (b_width - 1) << b_width
    return a * b % 2 ** (a_width + b_width)


def operands(rng: np.random.Generator, width: int) -> int:
    """Every other one an extreme."""
    extremes = (0, 1, 2 ** (width - 1) - 1, 2 ** (width - 1), 2**width - 1)
    return int(rng.choice(extremes)) if rng.integers(0, 2) else int(rng.integers(0, 2**width))


def test_every_map_is_tested():
    mapped = {device.family.name for device in DEVICES if netlist.has_map(device.family.name)}
    assert mapped == WIDEST.keys() == {path.stem for path in netlist.MAPS.glob("*.v") if not path.stem.endswith("_finish")}


@pytest.mark.parametrize("family", WIDEST)
def test_mapped_multipliers_agree_with_arithmetic(tools, synthesise, family):
    """Narrow ones, the widest that a DSP takes, and one that is too wide and stays portable."""
    widest = WIDEST[family]
    mapped = [(1, 1, 0), (8, 8, 0), (9, 9, 1), (5, 12, 1), (widest, widest, 0), (widest, widest, 1)]
    shapes = [*mapped, (widest + 1, 3, 1)]
    made = manifest(
        {f"{x}{n}": width for n, shape in enumerate(shapes) for x, width in zip("ab", shape, strict=False)},
        {f"p{n}": a + b for n, (a, b, _) in enumerate(shapes)},
    )
    body = "".join(
        f"  trme_multiply #({a}, {b}, {is_signed}) m{n} (clk, a{n}, b{n}, p{n});\n"
        for n, (a, b, is_signed) in enumerate(shapes)
    )
    found, devices = synthesise(family, Multiplier.verilog + module(made, body), made)
    assert found.multipliers[0] == len(mapped)
    in_fabric = IN_FABRIC.get(family, 0) * sum(a + b for a, b, _ in mapped)
    assert in_fabric <= found.core["FF"] <= in_fabric + MULTIPLY_CYCLES * (widest + 4)
    rng, history = np.random.default_rng(6), []
    with cosim.build(found.verilog.read_text(), made, tools, more=simulation_models(devices)) as model:
        for cycle in range(400):
            now = [(operands(rng, a), operands(rng, b)) for a, b, _ in shapes]
            for n, (a, b) in enumerate(now):
                model.poke(f"a{n}", a)
                model.poke(f"b{n}", b)
            model.step()
            history.append(now)
            if len(history) >= MULTIPLY_CYCLES:
                then = history[-MULTIPLY_CYCLES]
                shown = [int(model.peek(f"p{n}")) for n in range(len(shapes))]
                assert shown == [product(*pair, *shape) for pair, shape in zip(then, shapes, strict=True)], f"cycle {cycle}"


def test_carry_chains_of_nexus_begin_with_an_open_input(tools, synthesise):
    """What nextpnr insists on; sums and differences stay what they were."""
    made = manifest({"a": 12, "b": 12}, {"sum": 12, "difference": 12})
    body = "  reg [11:0] s, d; always @(posedge clk) begin s <= a + b; d <= a - b; end assign sum = s, difference = d;\n"
    found, family = synthesise("nexus", module(made, body), made)
    cells = json.loads(found.json.read_text())["modules"]["unit"]["cells"].values()
    chains = [cell["connections"] for cell in cells if cell["type"] == "CCU2"]
    carried = {bit for chain in chains for bit in chain["COUT"]}
    assert sum(not chain.get("CIN") for chain in chains) == 2
    assert all(set(chain.get("CIN", ())) <= carried for chain in chains)
    rng = np.random.default_rng(7)
    with cosim.build(found.verilog.read_text(), made, tools, more=simulation_models(family)) as model:
        for _ in range(200):
            a, b = operands(rng, 12), operands(rng, 12)
            model.poke("a", a)
            model.poke("b", b)
            model.step()
            assert (int(model.peek("sum")), int(model.peek("difference"))) == ((a + b) % 4096, (a - b) % 4096)
