# SPDX-License-Identifier: Apache-2.0
"""One place and route by nextpnr: its command, its run, and what became of it."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from synth.devices import Device
from synth.errors import TooLarge, Unroutable
from synth.netlist import Netlist
from synth.report import Report, parse
from toolchain.eda import Program
from toolchain.errors import ToolFailed, TrmeError
from toolchain.process import ProgramEnded, Programs
from toolchain.store import Store, content_key

__all__ = ["Attempt", "arguments", "as_json", "has_no_room", "place_and_route"]

_REPORT = "report.json"


@dataclass(frozen=True)
class Attempt:
    """One run of nextpnr.

    Parameters
    ----------
    seed : int
    strategy : str
    report : Report or None
        None if there is a ``failure``.
    failure : TrmeError or None
        What went wrong; it is the same whenever this is tried again.
    wall_s : float
        How long it took when it ran.
    cache_hit : bool
        Whether it ran before.
    """

    seed: int
    strategy: str
    report: Report | None
    failure: TrmeError | None
    wall_s: float
    cache_hit: bool

    @property
    def fmax_mhz(self) -> float | None:
        """None if the attempt failed."""
        return self.report.fmax_mhz if self.report else None


def arguments(device: Device, options: tuple[str, ...], target_mhz: float, seed: int) -> list[str]:
    """nextpnr's arguments for the netlist ``netlist.json`` in its folder; it writes ``report.json`` there."""
    words = [*device.options, *device.family.options, *options, "--json", "netlist.json", "--report", _REPORT]
    words += ["--freq", f"{target_mhz:g}", "--seed", str(seed), "--threads", "1", "--timing-allow-fail"]
    return [*words, *device.constraints_options]


def place_and_route(
    netlist: Netlist,
    device: Device,
    strategy: str,
    options: tuple[str, ...],
    target_mhz: float,
    seed: int,
    nextpnr: Program,
    programs: Programs,
    store: Store,
) -> Attempt:
    """Run nextpnr once, or take what it found before.

    Raises
    ------
    ToolFailed
        If nextpnr crashes, or writes no report that can be read: what need not happen again is not kept.
    """
    words = arguments(device, options, target_mhz, seed)
    design = netlist.json.read_bytes()
    key = content_key("attempt 1", design, device.constraints, json.dumps(words), nextpnr.version)

    def build(folder: Path) -> None:
        (folder / "netlist.json").write_bytes(design)
        if device.constraints:
            (folder / "constraints").write_text(device.constraints)
        begin = time.monotonic()
        outcome = {}
        try:
            log = programs.run([nextpnr.path, *words], cwd=folder)
            parse(_read(folder / _REPORT))  # a report that cannot be read is not kept
        except ProgramEnded as error:
            log = error.output
            outcome = _classify(error, device)
        (folder / "netlist.json").unlink()
        (folder / "log").write_text(log)
        (folder / "outcome.json").write_text(json.dumps(outcome | {"wall_s": time.monotonic() - begin}))

    folder, cache_hit = store.get(key, build)
    outcome = json.loads((folder / "outcome.json").read_text())
    if "failure" in outcome:
        failure = _FAILURES[outcome["failure"]](outcome["sentence"])
        return Attempt(seed, strategy, None, failure, outcome["wall_s"], cache_hit)
    return Attempt(seed, strategy, parse(_read(folder / _REPORT)), None, outcome["wall_s"], cache_hit)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


_FAILURES = {"too large": TooLarge, "unroutable": Unroutable}
_NO_ROOM = re.compile(
    "no (?:more )?bels|all bels|unable to (?:find|place)|failed to place|cannot be placed|not enough|too many|exceed|more than",
    re.I,
)
_NO_WAY = re.compile(r"unroutable|failed to route|routing (?:failed|design failed)|no route", re.I)


def has_no_room(sentence: str) -> bool:
    """Whether nextpnr's error line says that a device is too small."""
    return bool(_NO_ROOM.search(sentence))


def _classify(error: ProgramEnded, device: Device) -> dict[str, str]:
    """Whether the design is to blame; raises if it is rather nextpnr."""
    telling = [line.strip() for line in error.output.splitlines() if line.lstrip().startswith("ERROR:")]
    sentence = telling[0].removeprefix("ERROR:").strip() if telling else ""
    if _NO_WAY.search(sentence):
        return {"failure": "unroutable", "sentence": f"nextpnr found no way to route the design on {device.name}: {sentence}"}
    if has_no_room(sentence):
        return {"failure": "too large", "sentence": f"the design does not fit {device.name}: {sentence}"}
    raise ToolFailed(str(error)) from error


def as_json(attempt: Attempt) -> dict:
    """A row for programs."""
    path = attempt.report.critical_path if attempt.report else None
    return {
        "seed": attempt.seed,
        "strategy": attempt.strategy,
        "fmax_mhz": attempt.fmax_mhz,
        "failure": str(attempt.failure) if attempt.failure else None,
        "critical_path": path.as_json() if path else None,
        "wall_s": round(attempt.wall_s, 3),
        "cache_hit": attempt.cache_hit,
    }
