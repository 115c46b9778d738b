# SPDX-License-Identifier: Apache-2.0
"""Blocks that are emitted once and instantiated, however often they occur.

Amaranth by itself emits a module per instance, and its netlist is per bit: an N x N array costs N*N modules of text. A part
is instead a Verilog module of its own. `Shared` makes one of an Amaranth component, `VerilogPart` of text; `Repeat` chains
copies of a part by a Verilog ``generate for`` whose count stays a Verilog parameter, and is itself a part, so that rows can
be repeated to arrays. `Part.instance` gives the component to put into a design.

Parts can be elaborated by `hdl.emit.emit` only: Amaranth's own simulator does not run Verilog.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from amaranth import *
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Part", "PartPort", "Repeat", "Shared", "VerilogPart"]


@dataclass(frozen=True)
class PartPort:
    """A port of a part: ``width`` in bits as instantiated here, ``width_text`` as a product in Verilog."""

    name: str
    is_input: bool
    width: int
    width_text: str

    def declaration(self, comment: str = "") -> str:
        """The port in Verilog."""
        top = str(self.width - 1) if self.width_text.isdigit() else f"{self.width_text}-1"
        return f"{'input' if self.is_input else 'output'} [{top}:0] {self.name}{comment if self.is_input else ''}"


class Emitter(Protocol):
    """Takes the text of each part once; the platform that instances are elaborated for."""

    def add_part(self, part: "Part") -> None: ...


class Part(ABC):
    """A Verilog module, emitted once under ``name``.

    Parameters
    ----------
    name : str
        The module's name. Parts of one design that share it must be the same.
    ports : tuple of PartPort
        All but clock and reset.
    parameters : dict
        Verilog parameters, as instantiated here.
    has_reset : bool
        Whether there is a port ``rst`` beside ``clk``.
    """

    language = "verilog"

    def __init__(self, name: str, ports: tuple[PartPort, ...], *, parameters: dict[str, int] | None = None, has_reset=False):
        self.name = name
        self.ports = ports
        self.parameters = parameters or {}
        self.has_reset = has_reset

    @property
    @abstractmethod
    def text(self) -> str:
        """The module in ``language``; values of parameters occur in it as defaults only."""

    @property
    def below(self) -> tuple["Part", ...]:
        """Parts that this one instantiates."""
        return ()

    def instance(self) -> "PartInstance":
        """A component with the part's ports, to be a submodule."""
        return PartInstance(self)


class PartInstance(wiring.Component):
    """One instance of a part; its members are the part's ports, as bits."""

    def __init__(self, part: Part):
        self.part = part
        super().__init__({port.name: (In if port.is_input else Out)(port.width) for port in part.ports})

    def elaborate(self, platform):
        if not hasattr(platform, "add_part"):
            raise TypeError(f"part {self.part.name!r} is Verilog and can be elaborated by hdl.emit.emit only")
        platform.add_part(self.part)
        connections = {f"{'i' if port.is_input else 'o'}_{port.name}": getattr(self, port.name) for port in self.part.ports}
        if self.part.has_reset:
            connections["i_rst"] = ResetSignal()
        parameters = {f"p_{name}": value for name, value in self.part.parameters.items()}
        return Instance(self.part.name, **parameters, i_clk=ClockSignal(), **connections)


class Shared(Part):
    """An Amaranth component as a part.

    Parameters
    ----------
    name : str
        The module's name. Put every parameter that matters into it.
    component : type
        A `wiring.Component` in the ``sync`` domain, made from ``params``.
    params : hashable
    """

    language = "rtlil"

    def __init__(self, name: str, component: type, params):
        self._text, ports, has_reset, self._below = _converted(name, component, params)
        super().__init__(name, ports, has_reset=has_reset)

    @property
    def below(self):
        return self._below

    @property
    def text(self):
        return self._text


class _Below:
    """The platform that a shared component is elaborated for: takes the parts in it."""

    def __init__(self):
        self.parts: list[Part] = []

    def add_part(self, part: Part) -> None:
        self.parts.append(part)


@lru_cache
def _converted(name, component, params) -> tuple[str, tuple[PartPort, ...], bool, tuple[Part, ...]]:
    """The component's RTLIL, the ports that are really in it, which need not be those of its signature, and parts in it."""
    made = component(params)
    declared = {"__".join(map(str, path)) for path, _, _ in made.signature.flatten(made)}
    below = _Below()
    text = rtlil.convert(made, name=name, platform=below, emit_src=False)
    if text.count("\\rst\n") == 1:  # declared and never used, in a component none of whose registers is reset
        text = re.sub(r"^  wire .*\\rst\n", "", text, flags=re.MULTILINE)
    found = re.findall(r"^  wire width (\d+) (input|output) \d+ .*\\(\w+)$", text, re.MULTILINE)
    names = {port for _, _, port in found}
    if names - {"rst"} != declared | {"clk"}:
        raise ValueError(f"part {name!r} was emitted with the ports {sorted(names)}, but its signature has {sorted(declared)}")
    ports = [PartPort(port, direction == "input", int(width), width) for width, direction, port in found]
    own = tuple(port for port in ports if port.name not in ("clk", "rst"))
    return text, own, "rst" in names, tuple(below.parts)


class VerilogPart(Part):
    """A module written in Verilog by hand: for what Amaranth can say only bit by bit or lane by lane.

    Subclasses give ``verilog``, which must be the same whatever the parameters are.

    Parameters
    ----------
    name : str
    inputs, outputs : dict of str to int
        Widths in bits as instantiated here.
    parameters : dict of str to int
    """

    verilog: str

    def __init__(self, name: str, inputs: dict[str, int], outputs: dict[str, int], parameters: dict[str, int]):
        ports = [PartPort(port, True, width, str(width)) for port, width in inputs.items()]
        ports += [PartPort(port, False, width, str(width)) for port, width in outputs.items()]
        super().__init__(name, tuple(ports), parameters=parameters)

    @property
    def text(self):
        return self.verilog


class Repeat(Part):
    """``count`` copies of a part in a row::

               clk, rst to all
               |          |          |
        x_i -> leaf 0 -> leaf 1 -> leaf 2 -> x_o      links: an output of one is an input of the next
               |          |          |
              all other ports side by side, copy 0 in the lowest bits

    Parameters
    ----------
    leaf : Part
    count : int
        At least 1. In the Verilog it is the default of the parameter named ``parameter``.
    name : str
        The module's name.
    parameter : str
        The count's name in the Verilog.
    links : dict of str to str
        Output port of a copy to input port of the next. The first copy's input and, if named in ``ends``, the last copy's
        output are ports of the whole.
    ends : tuple of str
    common : tuple of str
        Inputs that all copies share.
    is_repeated : bool
        Whether it is itself the leaf of another. Says to Verilator, in comments, to compile it once for all copies.
    """

    def __init__(
        self,
        leaf: Part,
        count: int,
        *,
        name: str,
        parameter: str,
        links: dict[str, str] | None = None,
        ends: tuple[str, ...] = (),
        common: tuple[str, ...] = (),
        is_repeated: bool = False,
    ):
        links = links or {}
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        by_name = {port.name: port for port in leaf.ports}
        for source, target in links.items():
            if by_name[source].is_input or not by_name[target].is_input or by_name[source].width != by_name[target].width:
                raise ValueError(f"a link goes from an output to an input of its width, not from {source!r} to {target!r}")
        self.leaf, self.parameter, self.links, self.ends, self.common = leaf, parameter, links, ends, common
        self.is_repeated = is_repeated
        ports = []
        for port in leaf.ports:
            if port.name in links.values() or port.name in (*ends, *common):
                ports.append(port)
            elif port.name not in links:
                ports.append(PartPort(port.name, port.is_input, count * port.width, f"{parameter}*{port.width_text}"))
        super().__init__(name, tuple(ports), parameters=leaf.parameters | {parameter: count}, has_reset=leaf.has_reset)

    @property
    def below(self):
        return (self.leaf,)

    @property
    def text(self):
        controls = ["clk", "rst"] if self.has_reset else ["clk"]
        incoming = {target: source for source, target in self.links.items()}
        wires, connections = [], [f".{name}({name})" for name in controls]
        for port in self.leaf.ports:
            width = port.width_text
            if port.name in self.links:
                wires.append(f"wire [({self.parameter}+1)*{width}-1:0] {port.name}_link;")
                wires.append(f"assign {port.name}_link[{width}-1:0] = {self.links[port.name]};")
                if port.name in self.ends:
                    wires.append(f"assign {port.name} = {port.name}_link[{self.parameter}*{width} +: {width}];")
                actual = f"{port.name}_link[(n+1)*{width} +: {width}]"
            elif port.name in self.common:
                actual = port.name
            else:
                actual = f"{incoming[port.name]}_link" if port.name in incoming else port.name
                actual += f"[n*{width} +: {width}]"
            connections.append(f".{port.name}({actual})")
        inner = ", ".join(f".{name}({name})" for name in self.leaf.parameters)
        is_large = self.is_repeated and self.parameters[self.parameter] >= _SHARED_FROM
        shared = " /*verilator public_flat_rd*/" if is_large else ""
        return _REPEAT.format(
            name=self.name,
            parameters=", ".join(f"parameter {name} = {value}" for name, value in self.parameters.items()),
            ports=",\n".join(
                [f"  input {name}" for name in controls] + [f"  {port.declaration(shared)}" for port in self.ports]
            ),
            wires="\n".join(f"  {line}" for line in wires),
            count=self.parameter,
            once=" /*verilator no_inline_module*/" if self.is_repeated else "",
            leaf=f"{self.leaf.name} {f'#({inner}) ' if inner else ''}leaf",
            connections=",\n".join(f"        {line}" for line in connections),
        )


# A repeat that is not inlined is compiled once instead of once per copy. With inputs that are public, which Verilator then
# does not see through, it also stays one function: that pays where the code would not fit the caches.
_SHARED_FROM = 32
_REPEAT = """\
module {name} #({parameters}) (
{ports}
);{once}
{wires}
  genvar n;
  generate
    for (n = 0; n < {count}; n = n + 1) begin : copies
      {leaf} (
{connections}
      );
    end
  endgenerate
endmodule
"""
