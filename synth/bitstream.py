# SPDX-License-Identifier: Apache-2.0
"""Bitstreams for boards.

The board's own Amaranth platform makes what depends on the board: pins, buffers, clock and reset, constraints, and the command
lines of nextpnr and packer. Ours are the Yosys script, with the family's technology map, and the running of the programs.
"""

import json
import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.boards import Board
from synth.devices import DEVICES
from synth.errors import TooLarge
from synth.netlist import MAPS
from synth.place import has_no_room
from synth.report import parse
from toolchain.eda import Program, find_program
from toolchain.errors import BadInput
from toolchain.process import ProgramEnded, Programs
from toolchain.store import Store, content_key

__all__ = ["DIVIDED", "Built", "Steps", "build", "steps", "timing"]

DIVIDED = "divided"
"""In the name of a clock that is slower than the board's."""
_NAME = "trme_board"
"""Of the top module, and of the files while they are made."""
_DELAYS = {"iCE40UP": "u", "iCE40LP": "lp", "iCE40HX": "hx"}
"""Whose delays Yosys maps iCE40 by."""
_PRODUCTS = (".bin", ".bit", ".svf", "-openocd.cfg")


@dataclass(frozen=True)
class Steps:
    """What is to be done in an empty folder: ``files`` by name, then ``commands``, each a program's name and its arguments."""

    files: dict[str, str]
    commands: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Built:
    """A bitstream.

    Parameters
    ----------
    bitstream : Path
    files : tuple of Path
        All that was made, the bitstream among them, and nextpnr's report and log.
    clock_mhz, fmax_mhz : float
        What the design gets, and the most that it would bear.
    met : bool
        Whether all clocks are as fast as they must be.
    cache_hit : bool
        Whether it was there already.
    """

    bitstream: Path
    files: tuple[Path, ...]
    clock_mhz: float
    fmax_mhz: float
    met: bool
    cache_hit: bool


def steps(board: Board, top: Any, verilog: str, *, divide: int = 1, threads: int = 1, seed: int = 1) -> Steps:
    """From the design to a bitstream, without running anything.

    Parameters
    ----------
    top : Elaboratable
        For the board's platform; instantiates a module of ``verilog``.
    divide : int
        By how much the design's clock, which is then named `DIVIDED`, is slower than the board's.
    """
    plan = board.make_platform().prepare(top, _NAME)
    family = next(device.family for device in DEVICES if device.family.name == board.family)
    technology = MAPS / f"{family.name}.v"
    maps = {"map.v": technology.read_text()} if technology.exists() else {}
    delays = next((f" -device {name}" for part, name in _DELAYS.items() if board.part.startswith(part)), "")
    script = [
        "read_verilog design.v", *(f"read_verilog -overwrite {name}" for name in maps), f"read_rtlil {_NAME}.il",
        f"{family.synthesis}{delays} -top {_NAME} -json {_NAME}.json",
    ]  # fmt: skip
    kept = {name: text for name, text in plan.files.items() if name.endswith((".il", ".lpf", ".pcf", ".cfg"))}
    commands: list[tuple[str, tuple[str, ...]]] = [("yosys", ("-q", "-s", "script.ys"))]
    for line in plan.files[f"build_{_NAME}.sh"].splitlines():
        if line.startswith(('"$NEXTPNR', '"$ECPPACK', '"$ICEPACK')):
            program, *arguments = shlex.split(line)
            name = program.removeprefix("$").lower().replace("_", "-")
            if name == family.place_and_route:
                arguments += ["--report", "report.json", "--seed", str(seed), "--threads", str(threads)]
                arguments += ["--freq", f"{board.clock_mhz / divide:g}", "--timing-allow-fail"]
            commands.append((name, tuple(arguments)))
    return Steps(kept | maps | {"design.v": verilog, "script.ys": "\n".join(script) + "\n"}, tuple(commands))


def build(
    board: Board,
    top: Any,
    verilog: str,
    name: str,
    folder: Path,
    *,
    divide: int = 1,
    native: bool = False,
    threads: int = 1,
    seed: int = 1,
) -> Built:
    """Make a bitstream, or take the one kept from before.

    Parameters
    ----------
    top, verilog, divide
        As for `steps`.
    name : str
        What the files are named after ...
    folder : Path
        ... that this takes.
    native : bool
        Take the programs from PATH.

    Raises
    ------
    TooLarge
        If it does not fit.
    ToolMissing, ToolFailed
        If a program is not there, or refuses.
    NoFmax
        If nextpnr says nothing of the clock.
    BadInput
        If the folder cannot be written.
    """
    todo = steps(board, top, verilog, divide=divide, threads=threads, seed=seed)
    tools = [find_program(program, native) for program, _ in todo.commands]

    def fill(made: Path) -> None:
        for file, text in todo.files.items():
            (made / file).write_text(text)
        with Programs() as programs:
            for tool, (_, arguments) in zip(tools, todo.commands, strict=True):
                _run(programs, tool, arguments, made, board, name)
        timing(made, board, divide)  # a report that cannot be read is not kept
        for file in ("design.v", "map.v", f"{_NAME}.il", f"{_NAME}.json"):
            (made / file).unlink(missing_ok=True)

    key = content_key("bitstream 1", json.dumps([todo.files, todo.commands]), *(tool.version for tool in tools))
    made, cache_hit = Store().get(key, fill)
    names = {path: f"{name}{path.name.removeprefix(_NAME)}" for path in made.glob(f"{_NAME}*") if path.name.endswith(_PRODUCTS)}
    names |= {made / "report.json": f"{name}_selftest_report.json", made / f"{_NAME}.tim": f"{name}_selftest.log"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = tuple(_copy(source, folder / target) for source, target in sorted(names.items()))
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error
    bitstream = next(path for path in files if path.suffix in (".bin", ".bit"))
    return Built(bitstream, files, board.clock_mhz / divide, *timing(made, board, divide), cache_hit)


def _run(programs: Programs, tool: Program, arguments: tuple[str, ...], folder: Path, board: Board, name: str) -> None:
    try:
        programs.run([tool.path, *arguments], cwd=folder)
    except ProgramEnded as error:
        if tool.name.startswith("nextpnr") and has_no_room(str(error)):
            raise TooLarge(
                f"the self-test of {name} does not fit {board.name}, take a larger board, or smaller parameters: {error}"
            ) from error
        raise


def timing(folder: Path, board: Board, divide: int) -> tuple[float, bool]:
    """Fmax of the design in MHz, and whether all clocks are fast enough, by the report in a folder."""
    text = (folder / "report.json").read_text()
    fmax_mhz = parse(text, clock=DIVIDED if divide > 1 else "").fmax_mhz  # undivided: there is but one, whatever its name
    clocks = {name: entry["achieved"] for name, entry in json.loads(text)["fmax"].items()}
    met = all(fmax >= board.clock_mhz / (divide if DIVIDED in name else 1) for name, fmax in clocks.items())
    return fmax_mhz, met


def _copy(source: Path, target: Path) -> Path:
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    shutil.copyfile(source, partial)
    return partial.replace(target)
