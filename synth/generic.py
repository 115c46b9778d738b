# SPDX-License-Identifier: Apache-2.0
"""The device that is none: look-up tables of four and six inputs, gates, and logic depth, by Yosys alone in seconds."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hdl.manifest import Emission
from synth.netlist import count_cells, elaborate_script, quoted, register_bits, repeated_modules
from toolchain.eda import Program, find_program
from toolchain.process import Programs
from toolchain.store import Store, content_key

__all__ = ["GenericResult", "depth", "run"]

_TARGETS = {
    "lut4": ("-lut 4", "abc -lut 4"),
    "lut6": ("-lut 6", "abc -lut 6"),
    "gates": ("", "abc -g AND,NAND,OR,NOR,XOR,XNOR,MUX,ANDNOT,ORNOT"),
}
"""What is counted: options of Yosys' ``synth``, and the command that maps logic."""


@dataclass(frozen=True)
class GenericResult:
    """Counts and depths of a unit.

    Parameters
    ----------
    counts : dict of str to int
        Cells other than registers for ``lut4``, ``lut6`` and ``gates``.
    depths : dict of str to int
        The most of them in a row between registers, for each.
    register_bits : int
    memory_bits : int
        Kept apart from registers: a real device would use block RAM.
    yosys : Program
    cache_hit : bool
    """

    counts: dict[str, int]
    depths: dict[str, int]
    register_bits: int
    memory_bits: int
    yosys: Program
    cache_hit: bool


def _script(target: str, kept: list[str]) -> str:
    """Yosys commands that map ``core.il``; repeated modules are mapped once, and the hierarchy goes at the end."""
    names = [quoted(name) for name in kept]
    options, mapper = _TARGETS[target]
    return "\n".join([
        "read_rtlil core.il",
        *(f"setattr -mod -set keep_hierarchy 1 {name}" for name in names),
        f"synth -flatten {options} -run begin:fine",
        "opt -fast -full", "techmap", "opt -fast", mapper, "opt -fast", "opt_clean",
        *(f"setattr -mod -unset keep_hierarchy {name}" for name in names),
        "flatten", "opt_clean", f"tee -q -o {target}-statistics.json stat -json", f"write_json {target}.json",
    ])  # fmt: skip


def run(emission: Emission, *, native: bool = False, store: Store | None = None) -> GenericResult:
    """Map a unit to look-up tables and gates, or take the result kept from before.

    Raises
    ------
    ToolMissing, ToolFailed
        If Yosys is not there, or refuses.
    """
    store = store or Store()
    yosys, top = find_program("yosys", native), emission.manifest.top
    elaborate = elaborate_script("generic", top)
    key = content_key("generic 1", emission.verilog, elaborate, *(_script(target, []) for target in _TARGETS), yosys.version)

    def build(folder: Path) -> None:
        (folder / "core.v").write_text(emission.verilog)
        with Programs() as programs:
            programs.run([yosys.path, "-q", "-p", elaborate], cwd=folder)
            kept = repeated_modules((folder / "elaborated.json").read_text(), top)
            for target in _TARGETS:
                (folder / f"{target}.ys").write_text(_script(target, kept))
                programs.run([yosys.path, "-q", "-s", f"{target}.ys"], cwd=folder)
                netlist = json.loads((folder / f"{target}.json").read_text())
                (folder / f"{target}-depth").write_text(str(depth(netlist["modules"][top]["cells"].values())))
                (folder / f"{target}.json").unlink()
        (folder / "core.il").unlink()

    folder, cache_hit = store.get(key, build)
    counts, depths = {}, {}
    for target in _TARGETS:
        cells = count_cells((folder / f"{target}-statistics.json").read_text(), top)
        counts[target] = sum(number for kind, number in cells.items() if _is_logic(kind))
        depths[target] = int((folder / f"{target}-depth").read_text())
    elaborated = count_cells((folder / "elaborated.json").read_text(), top)
    memory = json.loads((folder / "elaborated.json").read_text())["design"]["num_memory_bits"]
    return GenericResult(counts, depths, register_bits(elaborated), memory, yosys, cache_hit)


def _is_logic(kind: str) -> bool:
    return kind == "$lut" or (kind.startswith("$_") and "DFF" not in kind and "DLATCH" not in kind)


def depth(cells: Iterable[dict]) -> int:
    """The most logic cells in a row, of a flat netlist's cells as Yosys writes them."""
    import networkx as nx  # not needed where results are kept

    graph = nx.DiGraph()
    readers = defaultdict(list)
    logic = [cell for cell in cells if _is_logic(cell["type"])]
    for n, cell in enumerate(logic):
        graph.add_node(n)
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for bit in bits:
                    readers[bit].append(n)
    for n, cell in enumerate(logic):
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                graph.add_edges_from((n, reader) for bit in bits for reader in readers[bit])
    return nx.dag_longest_path_length(graph) + 1 if logic else 0
