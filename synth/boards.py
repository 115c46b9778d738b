# SPDX-License-Identifier: Apache-2.0
"""Boards with ECP5 and iCE40 devices, as amaranth-boards knows them."""

import difflib
import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from toolchain.errors import BadInput, ToolMissing

__all__ = ["Board", "boards", "find_board"]

_LOADERS = {
    "blackice": "cp {bitstream} /dev/ttyACM0",
    "blackice_ii": "cp {bitstream} /dev/ttyACM0",
    "colorlight_5a75b_r7_0": "openFPGALoader -c ft232 -m {bitstream}",
    "ecp5_5g_evn": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
    "ecpix5": "openFPGALoader -c ft2232 -m {bitstream}",
    "fomu_hacker": "dfu-util -D {bitstream}",
    "fomu_pvt": "dfu-util -D {bitstream}",
    "ice40_hx1k_blink_evn": "iCEburn -evw {bitstream}",
    "ice40_hx8k_b_evn": "iceprog -S {bitstream}",
    "ice40_up5k_b_evn": "iceprog {bitstream}",
    "icebreaker": "iceprog {bitstream}",
    "icebreaker_bitsy": "dfu-util -d ,1d50:6146 -a 0 -R -D {bitstream}",
    "icepi_zero": "openFPGALoader -b icepi-zero {bitstream} --write-flash",
    "icestick": "iceprog {bitstream}",
    "icesugar": "icesprog {bitstream}",
    "icesugar_nano": "icesprog {bitstream}",
    "icesugar_pro": "icesprog {bitstream}",
    "logicbone": "dfu-util -d 1d50:615d -a 0 -R -D {bitstream}",
    "nandland_go": "iceprog {bitstream}",
    "orangecrab_r0_1": "dfu-util -D {bitstream}",
    "orangecrab_r0_2": "dfu-suffix -v 1209 -p 5af0 -a {bitstream} && dfu-util -a 0 -D {bitstream}",
    "supercon19badge": "dfu-util -d 1d50:614b -a 0 -D {bitstream}",
    "tinyfpga_bx": "tinyprog -p {bitstream}",
    "ulx3s": "openFPGALoader -b ulx3s -m {bitstream}",
    "upduino_v2": "iceprog {bitstream}",
    "upduino_v3": "iceprog {bitstream}",
    "versa_ecp5": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
    "versa_ecp5_5g": "openocd -f {openocd} -c 'transport select jtag; init; svf -quiet {svf}; exit'",
}
"""What the boards' platforms in amaranth-boards run to load a bitstream, by module; for the others they say nothing."""


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

    def load_command(self, bitstream: Path) -> str:
        """A command line that loads a bitstream, by what its platform in amaranth-boards runs."""
        form = _LOADERS.get(self.platform.split(".")[0])
        if form is None:
            return "as the board's maker says: amaranth-boards does not"
        beside = {"svf": bitstream.with_suffix(".svf"), "openocd": bitstream.with_name(f"{bitstream.stem}-openocd.cfg")}
        return form.format(bitstream=bitstream, **beside)

    def make_platform(self) -> Any:
        """A new Amaranth platform; each builds once."""
        module, name = self.platform.split(".")
        return getattr(importlib.import_module(f"amaranth_boards.{module}"), name)()


def boards() -> tuple[Board, ...]:
    """All boards that can show what a self-test finds, by name; one with several devices is listed once for each.

    Raises
    ------
    ToolMissing
        If amaranth-boards is not installed.
    """
    return tuple(board for board in _known() if board.lights or board.has_uart)


@cache
def _known() -> tuple[Board, ...]:
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
        kinds: list[Any] = [
            kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__
        ]
        kinds = [
            kind for kind in kinds if issubclass(kind, (LatticePlatform, SiliconBluePlatform)) and not inspect.isabstract(kind)
        ]
        several = len({kind.device for kind in kinds}) > 1
        for board in (_describe(entry.name, kind, several) for kind in kinds):
            if board:
                found.setdefault(board.name, board)  # the first of two classes that name the same device
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
    grade = kind.speed if family == "ecp5" else ""
    return Board(
        name=module.replace("_", "-") + size,
        platform=f"{module}.{kind.__name__}",
        family=family,
        part=f"{kind.device}-{grade}{kind.package}",
        clock_mhz=platform.default_clk_frequency / 1e6,
        lights=lights,
        has_uart=_is_free(platform, lights, "uart"),
    )


def _is_free(platform: Any, lights: tuple, resource: str) -> bool:
    """Whether the board has it, on other pins than the lights: one board has its LED on the UART's."""
    from amaranth.build import ResourceError

    try:
        for name, number in {light[:2] for light in lights}:
            platform.request(name, number, dir="-")
        platform.request(resource, 0, dir="-")
    except ResourceError:
        return False
    return True


def find_board(name: str) -> Board:
    """The board of that name.

    Raises
    ------
    BadInput
        If there is none, or it has neither LED nor UART.
    """
    by_name = {board.name: board for board in _known()}
    if name not in by_name:
        near = [other for other in by_name if other.startswith(name)]
        near = near or difflib.get_close_matches(name, by_name, n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise BadInput(f"there is no board {name!r} with ECP5 or iCE40 in amaranth-boards: {meant}'trme devices' lists all")
    board = by_name[name]
    if not (board.lights or board.has_uart):
        raise BadInput(f"board {name!r} has neither a LED nor a UART that amaranth-boards knows, so that it could show nothing")
    return board
