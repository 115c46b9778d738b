# SPDX-License-Identifier: Apache-2.0
"""cocotb benches on a Verilated model.

cocotb expects a simulator program that loads libpython. A plain Debian or Ubuntu has no libpython to load, only a python3
that contains it; so here it is the other way round: the model is a shared library that a python3 process loads, and cocotb
finds the interpreter it runs in already initialised.
"""

import ctypes
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from toolchain.errors import ToolFailed
from toolchain.verilator import Library, Tools, build_library

__all__ = ["BenchRun", "TestResult", "build_bench", "run_bench"]

_MAIN = Path(__file__).with_name("cocotb_main.cpp")
_ALL_TIME = (0, (1 << 64) - 1)


@dataclass(frozen=True)
class TestResult:
    """One cocotb test: ``message`` is empty if it passed, ``end_ns`` is the simulation's time at its end."""

    name: str
    passed: bool
    message: str
    end_ns: float


@dataclass(frozen=True)
class BenchRun:
    """A run of a bench: the tests that reported, what went wrong besides, and the log."""

    tests: tuple[TestResult, ...]
    trouble: str
    log: Path
    wall_s: float


def build_bench(tools: Tools, sources: dict[str, str], *, top: str, trace: str | None = None) -> Library:
    """The model with cocotb's main loop, as `toolchain.verilator.build_library`."""
    return build_library(tools, sources, top=top, harness=_MAIN.read_text(), vpi=True, trace=trace)


def run_bench(
    library: Library,
    *,
    top: str,
    module: str,
    folder: Path,
    seed: int,
    plusargs: dict[str, str],
    waves: Path | None = None,
    window_ps: tuple[int, int] | None = None,
    timeout_s: float = 1800,
) -> BenchRun:
    """Run the cocotb tests of a Python module.

    Parameters
    ----------
    library : Library
        From `build_bench`.
    top : str
        The design's top module.
    module : str
        Importable name of the bench.
    folder : Path
        Takes ``results.xml`` and ``bench.log``; must exist.
    seed : int
        cocotb's random seed.
    plusargs : dict of str to str
        Found by the bench in ``cocotb.plusargs``.
    waves : Path, optional
        Where to write waves; the library must have been built for that.
    window_ps : pair of int
        First and last time of the waves; all by default.
    """
    results, log = folder / "results.xml", folder / "bench.log"
    results.unlink(missing_ok=True)
    env = os.environ | {
        "COCOTB_TEST_MODULES": module,
        "COCOTB_TOPLEVEL": top,
        "COCOTB_RESULTS_FILE": str(results),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "OMP_NUM_THREADS": "1",  # NumPy's worker threads would only compete with the simulation
        "OPENBLAS_NUM_THREADS": "1",
    }
    for name in ("COCOTB_TESTCASE", "COCOTB_TEST_FILTER", "GPI_USERS", "GUI", "WAVES"):
        env.pop(name, None)
    command = [sys.executable, "-m", "toolchain.simulator", library.path, waves or "", *map(str, window_ps or _ALL_TIME)]
    command += ["+verilator+rand+reset+2", f"+verilator+seed+{seed % (1 << 31) or 1}"]  # registers start at random values
    command += [f"+{name}={value}" for name, value in plusargs.items()]
    begin = time.perf_counter()
    trouble = ""
    with log.open("w") as stream:
        try:
            code = subprocess.run(
                [str(word) for word in command],
                env=env, cwd=folder, timeout=timeout_s, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
            ).returncode  # fmt: skip
            if code:
                trouble = f"the simulation ended with code {code}"
        except subprocess.TimeoutExpired:
            trouble = f"the simulation was stopped after {timeout_s:g} s"
    tests = ()
    try:
        tests = _read_results(results)
    except ToolFailed as error:
        trouble = trouble or str(error)
    return BenchRun(tests, trouble, log, time.perf_counter() - begin)


def _read_results(path: Path) -> tuple[TestResult, ...]:
    """The tests in cocotb's results file; an error if there is none, or none in it."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        raise ToolFailed(f"the simulation left no readable results: {error}") from error
    if not cases:
        raise ToolFailed("the simulation ran no test")
    tests = []
    for case in cases:
        problems = [child for child in case if child.tag in ("failure", "error", "skipped")]
        message = problems[0].get("message") or problems[0].tag if problems else ""
        properties = {p.get("name"): p.get("value") for p in case.iter("property")}
        end_ns = float(properties.get("sim_time_stop") or 0)
        tests.append(TestResult(case.get("name", "?"), not problems, message, end_ns))
    return tuple(tests)


def _simulate(library: str, waves: str, first: str, last: str, *arguments: str) -> None:
    """Hand this process over to the simulation; does not return."""
    from cocotb_tools.config import lib_name_path, pygpi_entry_point

    os.environ["GPI_USERS"] = pygpi_entry_point()
    gpi = lib_name_path("vpi", "verilator")
    argv = (ctypes.c_char_p * (len(arguments) + 1))(b"trme", *(os.fsencode(word) for word in arguments))
    # PyDLL keeps the interpreter's lock, which cocotb's callbacks take again on this same thread.
    simulate = ctypes.PyDLL(library, mode=ctypes.RTLD_GLOBAL).trme_simulate
    simulate.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p]
    simulate(os.fsencode(gpi), os.fsencode(waves), int(first), int(last), len(argv), argv)


if __name__ == "__main__":
    _simulate(*sys.argv[1:])
