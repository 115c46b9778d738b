# SPDX-License-Identifier: Apache-2.0
"""Boards with ECP5 and iCE40 devices, as amaranth-boards knows them, and bitstreams for them.

The board's own Amaranth platform makes what depends on the board: pins, buffers, clock and reset, constraints, and the
command lines of nextpnr and packer. Ours are the Yosys script, with the technology map, and running the programs.
"""

import importlib
import os
import pkgutil
import re
import shlex
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from synth.devices import DEVICES
from synth.errors import TooLarge
from synth.netlist import MAPS
from synth.report import parse
from toolchain.eda import find_program
from toolchain.errors import BadInput, ToolMissing
from toolchain.process import ProgramEnded, Programs
from toolchain.store import Store, content_key

__all__ = ["Board", "Built", "boards", "build", "find_board"]

_LOADERS = {
    "blackice": "cp {} /dev/ttyACM0",
    "blackice_ii": "cp {} /dev/ttyACM0",
    "colorlight_5a75b_r7_0": "openFPGALoader -c ft232 -m {}",
    "ecp5_5g_evn": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
    "ecpix5": "openFPGALoader -c ft2232 -m {}",
    "fomu_hacker": "dfu-util -D {}",
    "fomu_pvt": "dfu-util -D {}",
    "ice40_hx1k_blink_evn": "iCEburn -evw {}",
    "ice40_hx8k_b_evn": "iceprog -S {}",
    "ice40_up5k_b_evn": "iceprog {}",
    "icebreaker": "iceprog {}",
    "icebreaker_bitsy": "dfu-util -d ,1d50:6146 -a 0 -R -D {}",
    "icepi_zero": "openFPGALoader -b icepi-zero {} --write-flash",
    "icestick": "iceprog {}",
    "icesugar": "icesprog {}",
    "icesugar_nano": "icesprog {}",
    "icesugar_pro": "icesprog {}",
    "logicbone": "dfu-util -d 1d50:615d -a 0 -R -D {}",
    "nandland_go": "iceprog {}",
    "orangecrab_r0_1": "dfu-util -D {}",
    "orangecrab_r0_2": "dfu-suffix -v 1209 -p 5af0 -a {} && dfu-util -a 0 -D {}",
    "supercon19badge": "dfu-util -d 1d50:614b -a 0 -D {}",
    "tinyfpga_bx": "tinyprog -p {}",
    "ulx3s": "openFPGALoader -b ulx3s -m {}",
    "upduino_v2": "iceprog {}",
    "upduino_v3": "iceprog {}",
    "versa_ecp5": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
    "versa_ecp5_5g": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
}
"""What the boards' platforms in amaranth-boards run to load a bitstream, by module; for the others they say nothing."""
_NO_ROOM = re.compile(r"unable to (?:find|place)|no bels|failed to place|too many|not enough|exceed", re.I)


@dataclass(frozen=True)
class Board:
    """A board and what it can show.

    Parameters
    ----------
    name : str
        As on the command line.
    platform : str
        Module and class in amaranth-boards.
    family : str
        ``"ecp5"`` or ``"ice40"``.
    part : str
        Device and package as the vendor calls them, with the speed grade if there are several.
    clock_mhz : float
        Of its default clock.
    lights : tuple of tuple
        Up to three LEDs: resource, number, and subsignal or None. If there is but a coloured one: blue, green, red.
    has_uart : bool
    """

    name: str
    platform: str
    family: str
    part: str
    clock_mhz: float
    lights: tuple[tuple[str, int, str | None], ...]
    has_uart: bool

    @property
    def lights_in_words(self) -> str:
        """What each of them shows."""
        meanings = ("blinks, fast after a failure", "on: passed", "on: failed")
        colours = {"b": "blue", "g": "green", "r": "red"}
        names = (colours[part] if part else f"{resource} {number}" for resource, number, part in self.lights)
        return "; ".join(f"{name} {meaning}" for name, meaning in zip(names, meanings, strict=False)) or "none"

    def make_platform(self) -> Any:
        """A new Amaranth platform; each builds once."""
        module, name = self.platform.split(".")
        return getattr(importlib.import_module(f"amaranth_boards.{module}"), name)()


@dataclass(frozen=True)
class Built:
    """What the tools made: ``files``, the first of which is the ``bitstream``, its Fmax, and a command line that loads it."""

    files: tuple[Path, ...]
    fmax_mhz: float
    load_command: str

    @property
    def bitstream(self) -> Path:
        """The file to load."""
        return self.files[0]


@cache
def boards() -> tuple[Board, ...]:
    """All boards that can run a self-test, by name; a board with several devices is listed once for each.

    Raises
    ------
    ToolMissing
        If amaranth-boards is not installed.
    """
    try:
        import amaranth_boards
    except ImportError:
        raise ToolMissing("amaranth-boards is missing, which knows the pins: run 'make setup EXTRAS=synth'") from None
    from amaranth.vendor import LatticePlatform, SiliconBluePlatform

    found: dict[str, Board] = {}
    for entry in pkgutil.iter_modules(amaranth_boards.__path__):
        if entry.ispkg:
            continue
        module = importlib.import_module(f"amaranth_boards.{entry.name}")
        mine = [
            kind for kind in vars(module).values()
            if isinstance(kind, type) and kind.__module__ == module.__name__
            and issubclass(kind, (LatticePlatform, SiliconBluePlatform)) and not getattr(kind, "__abstractmethods__", None)
        ]  # fmt: skip
        several = len({kind.device for kind in mine}) > 1
        for board in (_describe(entry.name, kind, several) for kind in mine):
            if board and (board.lights or board.has_uart):
                found.setdefault(board.name, board)
    return tuple(found[name] for name in sorted(found))


def _describe(module: str, kind: Any, several: bool) -> Board | None:
    """None if the device is of another family, or the board has no clock."""
    family = next((name for start, name in (("LFE5", "ecp5"), ("iCE40", "ice40")) if kind.device.startswith(start)), None)
    if family is None or kind.default_clk is None:
        return None
    platform = kind()
    names = {(resource.name, resource.number) for resource in platform.resources.values()}
    lights = tuple(("led", n, None) for n in range(3) if ("led", n) in names)
    if not lights and ("rgb_led", 0) in names:
        lights = tuple(("rgb_led", 0, colour) for colour in "bgr")
    size = f"-{kind.device.rpartition('-')[2].lower()}" if several else ""
    speed = f"-{kind.speed}" if family == "ecp5" else ""
    return Board(
        module.replace("_", "-") + size, f"{module}.{kind.__name__}", family, f"{kind.device}{speed}{kind.package}" if speed
        else f"{kind.device}-{kind.package}", platform.default_clk_frequency / 1e6, lights, ("uart", 0) in names,
    )  # fmt: skip


def find_board(name: str) -> Board:
    """The board of that name.

    Raises
    ------
    BadInput
        If there is none, or it has neither LED nor UART.
    """
    by_name = {board.name: board for board in boards()}
    if name not in by_name:
        import difflib

        near = [other for other in by_name if other.startswith(name) or name.startswith(other)]
        near = near or difflib.get_close_matches(name, by_name, n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise BadInput(
            f"there is no board {name!r} with an ECP5 or iCE40, and a LED or UART to show something: {meant}'trme devices' lists all"
        )
    return by_name[name]


def build(
    board: Board, top: Any, verilog: str, name: str, folder: Path, *, native: bool = False, threads: int = 1, seed: int = 1
) -> Built:
    """Make a bitstream, or take the one kept from before.

    Parameters
    ----------
    top : Elaboratable
        For the board's platform; instantiates a module of the Verilog.
    name : str
        Of the files.
    folder : Path
        Takes them.

    Raises
    ------
    TooLarge
        If it does not fit.
    ToolMissing, ToolFailed
        If a program is not there, or refuses.
    BadInput
        If the folder cannot be written.
    """
    plan = board.make_platform().prepare(top, name)
    family = next(device.family for device in DEVICES if device.family.name == board.family)
    commands = [shlex.split(line) for line in plan.files[f"build_{name}.sh"].splitlines() if line.startswith('"$')]
    tools = [(_program(words[0], native), words[1:]) for words in commands]
    place, pack = next(n for n, (tool, _) in enumerate(tools) if tool.name == family.place_and_route), len(tools)
    return place, pack, threads, seed, tools  # type: ignore
