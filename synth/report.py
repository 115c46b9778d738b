# SPDX-License-Identifier: Apache-2.0
"""nextpnr's JSON report as frozen dataclasses."""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass

from synth.errors import NoFmax, NoRegisterPath

__all__ = ["CriticalPath", "Report", "Usage", "parse"]


@dataclass(frozen=True)
class Usage:
    """How many of a device's cells are used."""

    used: int
    available: int


@dataclass(frozen=True)
class CriticalPath:
    """The slowest path between two registers.

    Parameters
    ----------
    start, end : str
        The registers, by the names that the Verilog gives them where they are known.
    through : dict of str to int
        Kinds of cells on the way, and how many of each.
    logic_ns, routing_ns : float
        Clock-to-output and set-up times count as logic.
    steps : tuple of (str, float)
        Along the way: ``"routing"``, ``"clock to output"``, ``"set-up"`` or the kind of a cell, and its delay in ns.
    sources : tuple of str
        Lines of the Verilog that name nets on the way.
    """

    start: str
    end: str
    through: dict[str, int]
    logic_ns: float
    routing_ns: float
    steps: tuple[tuple[str, float], ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def is_in_wrapper(self) -> bool:
        """Whether it does not touch the unit at all."""
        return not any(name.startswith("core") for name in (self.start, self.end))

    def as_json(self) -> dict:
        """For programs."""
        return {
            "from": self.start, "to": self.end, "through": self.through, "logic_ns": self.logic_ns,
            "routing_ns": self.routing_ns, "in_wrapper": self.is_in_wrapper, "sources": list(self.sources),
        }  # fmt: skip

    def in_words(self) -> str:
        """One sentence."""
        total = self.logic_ns + self.routing_ns
        way = ", ".join(f"{number} {kind}" for kind, number in self.through.items()) or "no cell"
        share = round(100 * self.routing_ns / total) if total else 0
        return (
            f"from {self.start} to {self.end} through {way}: {self.logic_ns:.2f} ns logic, {self.routing_ns:.2f} ns routing "
            f"({share} %)"
        )


@dataclass(frozen=True)
class Report:
    """What nextpnr found.

    Parameters
    ----------
    fmax_mhz : float
    utilisation : dict of str to Usage
        By nextpnr's own cell names; those not used are left out.
    critical_path : CriticalPath or None
        None if the report names none.
    """

    fmax_mhz: float
    utilisation: dict[str, Usage]
    critical_path: CriticalPath | None


def parse(text: str, clock: str = "clk") -> Report:
    """Read a report.

    Parameters
    ----------
    text : str
        JSON.
    clock : str
        The clock's port; nextpnr decorates its name.

    Raises
    ------
    NoFmax
        If the text is cut off, or has no figure for the clock.
    NoRegisterPath
        If no path leads from register to register.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise NoFmax(f"nextpnr's report is cut off or damaged after {len(text)} characters: {error}") from None
    if not isinstance(value, dict) or not {"fmax", "utilization", "critical_paths"} <= value.keys():
        raise NoFmax("nextpnr's report lacks fmax, utilization or critical_paths: has its format changed?")
    try:
        paths = [path for path in value["critical_paths"] if path["from"] == path["to"] and clock in path["from"]]
        figures = [entry["achieved"] for name, entry in value["fmax"].items() if clock in name]
        usage = {name: Usage(int(n["used"]), int(n["available"])) for name, n in value["utilization"].items() if n["used"]}
        path = _path(paths[0]["path"]) if paths else None
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise NoFmax(f"nextpnr's report has not the form that it should have at {error}: has its format changed?") from None
    if not figures:
        if not value["fmax"] and not paths:
            raise NoRegisterPath("no path leads from register to register, so there is no Fmax: put registers around the logic")
        raise NoFmax(f"nextpnr's report says nothing of the clock {clock!r}, but of {sorted(value['fmax']) or 'none'}")
    worst = min(figures)
    if not (isinstance(worst, int | float) and math.isfinite(worst) and worst > 0):
        raise NoFmax(f"nextpnr's report gives {worst!r} MHz for the clock {clock!r}, which is no frequency")
    return Report(float(worst), usage, path)


_REGISTER_SUFFIX = re.compile(
    r"_(TRELLIS_FF|SB_DFF\w*|FD1P3\w*|OXIDE_FF|DFF[A-Z]*|CC_DFF|SLICE_FF)(_[A-Z]+\d?)?(_\d+)?(\$\w+|_D\w*|_LC)?$"
)
_KINDS = (
    "LUT4", "CCU2C", "PFUMX", "L6MUX21", "MULT18X18D", "DP16KD", "TRELLIS_DPR16X4",
    "SB_LUT4", "SB_CARRY", "SB_MAC16", "SB_RAM40_4K", "WIDEFN9", "CCU2", "MULT9_CORE", "MULT18_CORE", "REG18_CORE",
    "LUT1", "LUT2", "LUT3", "LUT5", "LUT6", "MUX2_LUT5", "MUX2_LUT6", "MUX2_LUT7", "MUX2_LUT8", "ALU",
    "MULT9X9", "MULT18X18", "MULT36X36",
    "CC_LUT1", "CC_LUT2", "CC_LUT3", "CC_LUT4", "CC_L2T4", "CC_L2T5", "CC_ADDF", "CC_MX2", "CC_MX4", "CC_MX8", "CC_MULT",
)  # fmt: skip


_KIND = re.compile(rf"(?<![^_$/])({'|'.join(sorted(_KINDS, key=len, reverse=True))})(?=[_$]|$)(?!_COMB)")
"""A kind within a cell's name; ``CCU2_COMB0`` is nextpnr's half of a CCU2C."""


def _kind(cell: str) -> str:
    """A cell's kind: the last in its name, for those before it are its neighbours'."""
    return (_KIND.findall(cell) or ["other cell"])[-1]


def _register(cell: str, net: str | None) -> str:
    """A register's name in the Verilog: that of the net it drives, or what its cell is called after."""
    name = net if net and "$" not in net else _REGISTER_SUFFIX.sub("", cell)
    return re.sub(r"\s+", "", name)


def _step(step: dict) -> str:
    names = {"routing": "routing", "clk-to-q": "clock to output", "setup": "set-up", "source": "pin"}
    return names.get(step["type"]) or _kind(step["to"]["cell"])


def _path(steps: list[dict]) -> CriticalPath:
    routed = [step for step in steps if step["type"] == "routing"]
    logic = sum(step["delay"] for step in steps if step["type"] != "routing")
    routing = sum(step["delay"] for step in routed)
    cells = [step["to"]["cell"] for step in steps if step["type"] == "logic"]
    sources = dict.fromkeys(source for step in routed for source in step.get("sources", ()))
    return CriticalPath(
        _register(steps[0]["from"]["cell"], routed[0].get("net") if routed else None),
        _register(steps[-1]["to"]["cell"], None),
        dict(Counter(map(_kind, cells))),
        round(logic, 3),
        round(routing, 3),
        tuple((_step(step), round(step["delay"], 3)) for step in steps),
        tuple(sources),
    )
