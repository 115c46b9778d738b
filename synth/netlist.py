# SPDX-License-Identifier: Apache-2.0
"""From Verilog to a netlist of a device's cells, by Yosys, in two runs.

The first elaborates the unit, with the device's technology map in place of the portable multiplier, and counts what is in
it. A module that occurs often is then kept whole: the second run synthesises it once, however many instances there are.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hdl.manifest import Emission
from synth.devices import RESOURCES, Device
from synth.errors import NoRegisterPath, Vanished
from synth.wrap import WRAPPER, wrap
from toolchain.eda import Program
from toolchain.process import Programs
from toolchain.store import Store, content_key

__all__ = ["MAPS", "Netlist", "count_cells", "elaborate_script", "repeated_modules", "synthesise"]

MAPS = Path(__file__).with_name("maps")
_MULTIPLIER = "trme_multiply"
_KEPT_FROM = 4
"""Instances from which on a module is synthesised once and kept whole."""
_FEWEST = 0.8
"""Share of the register bits that must be left: Yosys may merge equal ones."""
_FLIP_FLOP = re.compile(r"\$(?:a|s|al)?dff(?:sr|e|ce)?(?:e)?_(\d+)")


@dataclass(frozen=True)
class Netlist:
    """A netlist and what is in it.

    Parameters
    ----------
    json, verilog : Path
        The wrapped design for nextpnr; the unit alone, for simulation.
    cells : dict of str to int
        Cells of all copies of the unit, by the family's own names.
    core, wrapper : dict of str to int
        `RESOURCES` of all copies of the unit, and of the measuring wrapper.
    register_bits, multipliers : tuple of int
        The least that the Verilog lets expect, and what was found. Registers of ``trme_multiply`` and of memories are not
        expected, because a device may have them inside its blocks, or need fewer for a constant operand.
    cache_hit : bool
        Whether it was there already.
    """

    json: Path
    verilog: Path
    cells: dict[str, int]
    core: dict[str, int]
    wrapper: dict[str, int]
    register_bits: tuple[int, int]
    multipliers: tuple[int, int]
    cache_hit: bool


def elaborate_script(family: str, top: str) -> str:
    """Yosys commands that read ``core.v`` and write ``core.il`` and ``elaborated.json``."""
    mapped = f"read_verilog -overwrite {_MULTIPLIER}.v; " if has_map(family) else ""
    return (
        f"read_verilog core.v; {mapped}hierarchy -top {top}; proc; opt_clean; memory_dff; "
        "tee -q -o elaborated.json stat -width -json; write_rtlil core.il"
    )


def has_map(family: str) -> bool:
    """Whether a family has a technology map."""
    return (MAPS / f"{family}.v").exists()


def _read_map(name: str) -> str:
    """Verilog of a file in synth/maps/, empty if there is none."""
    path = MAPS / f"{name}.v"
    return path.read_text() if path.exists() else ""


def _modules(statistics: str) -> dict[str, dict[str, int]]:
    """Cells by type of every module, from the JSON that ``stat`` writes."""
    modules = json.loads(statistics)["modules"]
    return {name.removeprefix("\\"): module.get("num_cells_by_type", {}) for name, module in modules.items()}


def _instances(modules: dict[str, dict[str, int]], top: str) -> Counter[str]:
    """How often each module occurs below ``top``, itself once."""
    counts: Counter[str] = Counter()

    def visit(name: str, times: int) -> None:
        counts[name] += times
        for kind, number in modules[name].items():
            if kind.removeprefix("\\") in modules:
                visit(kind.removeprefix("\\"), times * number)

    visit(top, 1)
    return counts


def count_cells(statistics: str, top: str, *, without: str | None = None) -> Counter[str]:
    """All cells below ``top`` by type, hierarchy resolved; none of modules that have ``without`` in their names."""
    modules = _modules(statistics)
    cells: Counter[str] = Counter()
    for name, times in _instances(modules, top).items():
        if without and without in name:
            continue
        for kind, number in modules[name].items():
            if kind.removeprefix("\\") not in modules:
                cells[kind] += times * number
    return cells


def repeated_modules(statistics: str, top: str) -> list[str]:
    """Modules below ``top`` that are synthesised once: those with many instances, the innermost of equal ones."""
    modules = _modules(statistics)
    counts = _instances(modules, top)
    return [
        name for name, number in counts.items()
        if number >= _KEPT_FROM and _MULTIPLIER not in name
        and not any(counts.get(kind.removeprefix("\\"), 0) >= _KEPT_FROM and _MULTIPLIER not in kind for kind in modules[name])
    ]  # fmt: skip


def resources(cells: Counter[str], names: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """Cells as `RESOURCES`; a name ``CELL:n`` counts n for each."""
    totals: dict[str, int] = dict.fromkeys(RESOURCES, 0)
    for resource, kinds in names.items():
        for kind in kinds:
            cell, _, weight = kind.partition(":")
            totals[resource] += cells.get(cell, 0) * int(weight or 1)
    return totals


def synthesise(
    emission: Emission, device: Device, yosys: Program, programs: Programs, store: Store, *, copies: int = 1
) -> Netlist:
    """Synthesise wrapped copies of a unit for a device, or take the result kept from before.

    Raises
    ------
    ToolFailed
        If Yosys refuses.
    Vanished
        If less than expected is left of the unit.
    NoRegisterPath
        If the unit has no logic and no registers.
    """
    family, manifest = device.family, emission.manifest
    technology_map = _read_map(family.name)
    wrapper = wrap(manifest, copies)
    elaborate = elaborate_script(family.name, manifest.top)
    command = " ".join(filter(None, [family.synthesis, device.synthesis_options]))
    pads = f"{family.pads} {WRAPPER}" if family.pads else ""
    finish = (*family.finish, _read_map(f"{family.name}_finish")) if family.finish else ()
    key = content_key("netlist 1", emission.verilog, wrapper, technology_map, elaborate, command, pads, yosys.version, *finish)

    def build(folder: Path) -> None:
        (folder / "core.v").write_text(emission.verilog)
        (folder / "wrapper.v").write_text(wrapper)
        (folder / f"{_MULTIPLIER}.v").write_text(technology_map)
        (folder / "finish.v").write_text(finish[-1] if finish else "")
        programs.run([yosys.path, "-q", "-p", elaborate], cwd=folder)
        kept = [manifest.top, *repeated_modules((folder / "elaborated.json").read_text(), manifest.top)]
        script = [
            "read_rtlil core.il", "read_verilog wrapper.v",
            *(f"setattr -mod -set keep_hierarchy 1 {quoted(name)}" for name in kept),
            f"{command} -top {WRAPPER}", pads, *family.finish,
            "write_json netlist.json", "tee -q -o statistics.json stat -json",
            f"delete {WRAPPER}", f"hierarchy -top {manifest.top}", "write_verilog -noattr netlist.v",
        ]  # fmt: skip
        (folder / "synthesise.ys").write_text("\n".join(script) + "\n")
        programs.run([yosys.path, "-q", "-s", "synthesise.ys"], cwd=folder)
        (folder / "core.il").unlink()

    folder, cache_hit = store.get(key, build)
    expected = count_cells((folder / "elaborated.json").read_text(), manifest.top)
    outside = count_cells((folder / "elaborated.json").read_text(), manifest.top, without=_MULTIPLIER)
    statistics = (folder / "statistics.json").read_text()
    cells = count_cells(statistics, manifest.top)
    core = {name: copies * number for name, number in resources(cells, family.netlist_resources).items()}
    everything = resources(count_cells(statistics, WRAPPER), family.netlist_resources)
    netlist = Netlist(
        folder / "netlist.json", folder / "netlist.v",
        {kind: copies * number for kind, number in sorted(cells.items())},
        core, {name: everything[name] - core[name] for name in RESOURCES},
        (copies * register_bits(outside), core["FF"]),
        (copies * resources(expected, family.netlist_resources)["DSP"], core["DSP"]),
        cache_hit,
    )  # fmt: skip
    _check(netlist, manifest.unit)
    return netlist


def register_bits(cells: Counter[str]) -> int:
    """Flip-flops of an elaborated design."""
    found = ((_FLIP_FLOP.fullmatch(kind), number) for kind, number in cells.items())
    return sum(int(match[1]) * number for match, number in found if match)


def _check(netlist: Netlist, unit: str) -> None:
    expected, found = netlist.register_bits
    if found < _FEWEST * expected:
        raise Vanished(
            f"the netlist of {unit} has {found} register bits and the Verilog {expected}: inputs that are constant, or outputs "
            "that nothing reads, let them vanish, and its figures would be worth nothing"
        )
    if not any(netlist.core.values()):
        raise NoRegisterPath(f"nothing of {unit} is left after synthesis but wires, so that it has no Fmax: is it meant so?")
    expected, found = netlist.multipliers
    if found < expected:
        raise Vanished(
            f"the netlist of {unit} has {found} DSPs and the Verilog {expected} registered multipliers: some vanished, and its "
            "figures would be worth nothing"
        )


def quoted(name: str) -> str:
    """A module's name as Yosys' scripts take it."""
    return name if name.startswith("$") else f"\\{name}"
