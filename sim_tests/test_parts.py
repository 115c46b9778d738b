# SPDX-License-Identifier: Apache-2.0
import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.emit import emit
from hdl.parts import Repeat, Shared, VerilogPart
from toolchain.verilator import lint


class Stage(wiring.Component):
    """Adds its own input to what passes through."""

    def __init__(self, width):
        self.width = width
        super().__init__({"x_i": In(width), "x_o": Out(width), "y": In(width), "z": Out(1)})

    def elaborate(self, platform):
        m = Module()
        passed = Signal(self.width, reset_less=True)
        m.d.sync += passed.eq(self.x_i + self.y)
        m.d.comb += [self.x_o.eq(passed), self.z.eq(passed[0])]
        return m


class Chain(wiring.Component):
    """A repeated stage, or two of them."""

    latency = initiation_interval = 1

    def __init__(self, count, *, name="stage", twice=False):
        self.count, self.name, self.twice = count, name, twice
        super().__init__({"x": In(8), "y": In(8 * count), "o": Out(8), "z": Out(count)})

    def elaborate(self, platform):
        m = Module()
        part = Repeat(Shared(self.name, Stage, 8), self.count, name="chain", parameter="N", links={"x_o": "x_i"}, ends=("x_o",))
        m.submodules.chain = chain = part.instance()
        m.d.comb += [chain.x_i.eq(self.x), chain.y.eq(self.y), self.o.eq(chain.x_o), self.z.eq(chain.z)]
        if self.twice:
            m.submodules.other = other = Shared(self.name, Stage, 8).instance()
            m.d.comb += [other.x_i.eq(self.x), other.y.eq(0)]
        return m


def chain(count, **options):
    return emit(Chain(count, **options), unit="chain", parameters={}, top="top").verilog


def test_repeated_part_is_emitted_once_however_often_it_occurs(tools):
    few, many = chain(2), chain(40)
    assert few.count("module stage(") == many.count("module stage(") == 1
    assert many.count("stage leaf") == 1
    assert "parameter N = 40" in many
    assert len(many) - len(few) < 60
    assert not [line for line in lint(tools, {"top.v": many}, top="top") if "%Error" in line]


def test_part_used_twice_is_emitted_once():
    assert chain(3, twice=True).count("module stage(") == 1


class Outer(wiring.Component):
    """A shared component with a shared component in it."""

    def __init__(self, width):
        self.width = width
        super().__init__({"x": In(width), "y": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.stage = stage = Shared("stage", Stage, self.width).instance()
        m.d.comb += [stage.x_i.eq(self.x), stage.y.eq(0), self.y.eq(stage.x_o)]
        return m


def test_part_within_a_shared_part_is_emitted_once_and_before_it():
    class Top(wiring.Component):
        latency = initiation_interval = 1

        def __init__(self):
            super().__init__({"x": In(8), "y": Out(8)})

        def elaborate(self, platform):
            m = Module()
            m.submodules.a = a = Shared("outer", Outer, 8).instance()
            m.submodules.b = b = Shared("outer", Outer, 8).instance()
            m.d.comb += [a.x.eq(self.x), b.x.eq(a.y), self.y.eq(b.y)]
            return m

    assert [part.name for part in Shared("outer", Outer, 8).below] == ["stage"]
    verilog = emit(Top(), unit="top", parameters={}).verilog
    assert verilog.count("module stage(") == verilog.count("module outer(") == 1


def test_reset_is_a_port_only_if_something_is_reset():
    verilog = chain(2)
    stage = verilog[verilog.index("module stage(") :]
    assert "rst" not in stage[: stage.index("endmodule")]


def test_two_different_parts_of_one_name_are_refused():
    class Other(VerilogPart):
        verilog = "module stage(input clk); endmodule\n"

    class Both(wiring.Component):
        latency = initiation_interval = 1

        def __init__(self):
            super().__init__({"x": In(8)})

        def elaborate(self, platform):
            m = Module()
            m.submodules.a = Shared("stage", Stage, 8).instance()
            m.submodules.b = Other("stage", {}, {}, {}).instance()
            return m

    with pytest.raises(ValueError, match="two different parts are named 'stage'"):
        emit(Both(), unit="both", parameters={})


def test_part_elaborated_by_anything_else_says_who_can():
    with pytest.raises(TypeError, match=r"part 'chain' is Verilog and can be elaborated by hdl\.emit\.emit only"):
        rtlil.convert(Chain(2))


def test_link_from_an_input_or_between_widths_is_refused():
    stage = Shared("stage", Stage, 8)
    for links in ({"y": "x_i"}, {"z": "x_i"}, {"x_o": "z"}):
        with pytest.raises(ValueError, match="a link goes from an output to an input of its width"):
            Repeat(stage, 2, name="chain", parameter="N", links=links)


def test_no_copies_are_refused():
    with pytest.raises(ValueError, match="count must be at least 1, not 0"):
        Repeat(Shared("stage", Stage, 8), 0, name="chain", parameter="N", links={})


def test_component_whose_signature_lies_is_refused():
    class Liar(Stage):
        def __init__(self, width):
            super().__init__(width)
            self._signature = None

        @property
        def signature(self):
            return wiring.Signature({"x_i": In(8), "x_o": Out(8), "y": In(8), "z": Out(1), "clk": In(1)})

    with pytest.raises((ValueError, AttributeError, NameError)):
        Shared("liar", Liar, 8)
