# SPDX-License-Identifier: Apache-2.0
"""The manifest: all that a tool needs to know of emitted Verilog, without the generator. Imports no Amaranth.

A payload's layout is a tree of three nodes, each with a ``width`` in bits; bit 0 of the port is bit 0 of the layout.
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Array", "Emission", "Layout", "Manifest", "Port", "Scalar", "Stream", "Struct"]


@dataclass(frozen=True)
class Scalar:
    """An integer of ``width`` bits, two's complement if ``signed``."""

    width: int
    signed: bool

    def as_json(self) -> dict:
        return {"kind": "signed" if self.signed else "unsigned", "width": self.width}


@dataclass(frozen=True)
class Array:
    """``length`` elements without gaps, element 0 in the lowest bits."""

    element: "Layout"
    length: int

    @property
    def width(self) -> int:
        return self.element.width * self.length

    def as_json(self) -> dict:
        return {"kind": "array", "length": self.length, "element": self.element.as_json()}


@dataclass(frozen=True)
class Struct:
    """Named fields without gaps, the first in the lowest bits."""

    fields: tuple[tuple[str, "Layout"], ...]

    @property
    def width(self) -> int:
        return sum(layout.width for _, layout in self.fields)

    def as_json(self) -> dict:
        return {"kind": "struct", "fields": [{"name": name, **layout.as_json()} for name, layout in self.fields]}


Layout = Scalar | Array | Struct


def _layout_from_json(value: dict) -> Layout:
    match value["kind"]:
        case "unsigned" | "signed" as kind:
            return Scalar(value["width"], kind == "signed")
        case "array":
            return Array(_layout_from_json(value["element"]), value["length"])
        case "struct":
            return Struct(tuple((field["name"], _layout_from_json(field)) for field in value["fields"]))
        case kind:
            raise ValueError(f"layout kind must be unsigned, signed, array or struct, not {kind!r}")


@dataclass(frozen=True)
class Port:
    """A port of the top module: ``direction`` is ``"input"`` or ``"output"``, ``width`` in bits."""

    name: str
    direction: str
    width: int
    signed: bool
    layout: Layout


@dataclass(frozen=True)
class Stream:
    """Ports that form a stream: a transfer happens in each cycle in which ``valid`` and ``ready`` are high.

    ``direction`` is seen from the unit. ``ready`` is None where the receiver must always take what comes.
    """

    name: str
    direction: str
    payload: str
    valid: str
    ready: str | None


@dataclass(frozen=True)
class Manifest:
    """What ``manifest.json`` beside the Verilog says.

    ``latency_cycles`` counts from the transfer that completes a result to the result's first cycle on the output, both
    sides free; ``initiation_interval_cycles`` from one input transfer to the next.
    """

    unit: str
    parameters: dict[str, int | str | bool]
    top: str
    clock: str
    reset: str
    ports: tuple[Port, ...]
    streams: tuple[Stream, ...]
    latency_cycles: int
    initiation_interval_cycles: int
    verilog_sha256: str
    tool_versions: dict[str, str]

    def port(self, name: str) -> Port:
        """The port of that name; KeyError if there is none."""
        return {port.name: port for port in self.ports}[name]

    def stream_layout(self, stream: Stream) -> Layout:
        """The layout of a stream's payload."""
        return self.port(stream.payload).layout

    def to_json(self) -> str:
        """The file's text; the same manifest always gives the same bytes."""
        value = dataclasses.asdict(self) | {
            "ports": [
                {f.name: getattr(port, f.name) for f in dataclasses.fields(port)} | {"layout": port.layout.as_json()}
                for port in self.ports
            ]
        }
        return json.dumps(value, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not a manifest; the sentence says what is missing or wrong.
        """
        try:
            value = json.loads(text)
            return cls(
                **value
                | {
                    "ports": tuple(Port(**port | {"layout": _layout_from_json(port["layout"])}) for port in value["ports"]),
                    "streams": tuple(Stream(**stream) for stream in value["streams"]),
                }
            )
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a manifest: {error}") from error

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        """Read the manifest in a file."""
        return cls.from_json(path.read_text(encoding="utf-8"))


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

    @classmethod
    def read(cls, folder: Path) -> "Emission":
        """Read what `write` wrote."""
        manifest = Manifest.read(folder / "manifest.json")
        return cls((folder / f"{manifest.top}.v").read_text(encoding="utf-8"), manifest)
