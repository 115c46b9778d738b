# SPDX-License-Identifier: Apache-2.0
"""Verilog to a shared library, by Verilator and a C++ compiler, without make.

Both are called with lists of arguments in a folder of their own, so no path is ever split at a space. The Verilator runtime
and a precompiled header are compiled once per compiler and flags, and everything that belongs to one design is compiled as
a single file: most of the time of a small build goes into reading headers.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from toolchain.errors import ToolFailed
from toolchain.process import run
from toolchain.store import Store, content_key
from toolchain.tools import Compiler, Verilator, find_compiler, find_verilator

__all__ = ["Library", "Tools", "build_library", "lint", "trace_format"]

_MODEL = "Vmodel"
_JOBS = os.cpu_count() or 1
_UNIT_BYTES = 400_000
"""C++ that is worth a compiler of its own: some two seconds of reading headers and the like."""


@dataclass(frozen=True)
class Tools:
    """The programs that a build uses, and where it keeps its results."""

    verilator: Verilator
    compiler: Compiler
    store: Store

    @classmethod
    def find(cls, verilator: Path | None = None) -> "Tools":
        """Look for all of them; raises as `find_verilator` and `find_compiler` do."""
        return cls(find_verilator(verilator), find_compiler(), Store())

    @property
    def identity(self) -> str:
        """What results of these tools depend on."""
        return f"verilator {self.verilator.version} {self.verilator.binary}, g++ {self.compiler.version}"


@dataclass(frozen=True)
class Library:
    """A built shared library, how long that took, and whether it was there already."""

    path: Path
    build_s: float
    cache_hit: bool


def build_library(
    tools: Tools,
    sources: dict[str, str],
    *,
    top: str,
    harness: str,
    flags: tuple[str, ...] = (),
    vpi: bool = False,
    trace: str | None = None,
    savable: bool = False,
) -> Library:
    """Compile Verilog and a C++ harness, which finds the model as class ``Vmodel`` in ``Vmodel.h``.

    Parameters
    ----------
    sources : dict of str to str
        File names and texts: Verilog, and Verilator's control files ending in ``.vlt``.
    top : str
        The top module.
    harness : str
        C++ text with the functions to be called from outside.
    flags : tuple of str
        More arguments for Verilator.
    vpi : bool
        Make all signals visible by name through VPI, and start registers at random values.
    trace : {"vcd", "fst"}, optional
        Able to write waves.
    savable : bool
        Able to save and restore its whole state; the harness sees TRME_SAVABLE.

    Raises
    ------
    ToolFailed
        If Verilator or the compiler refuses; the sentence has its first error.
    """
    begin = time.perf_counter()
    verilate = [
        "--cc",
        "--prefix",
        _MODEL,
        "--top-module",
        top,
        "-Mdir",
        ".",
        "-O3",
        "--no-assert",
        "-Wno-lint",
        "-Wno-style",
        "-Wno-fatal",
        *flags,
    ]
    verilate += ["--vpi", "--public-flat-rw", "--x-initial", "unique"] if vpi else ["--x-initial", "fast"]
    verilate += ["--x-assign", "fast", *([f"--trace-{trace}", "--trace-structs"] if trace else [])]
    verilate += ["--savable"] if savable else []
    compile_flags = _compile_flags(vpi, trace, savable)
    texts = [text for pair in sources.items() for text in pair]
    key = content_key(tools.identity, *verilate, *compile_flags, harness, *texts)

    def build(folder: Path) -> None:
        runtime = _runtime(tools, vpi, trace, savable)
        with TemporaryDirectory(prefix="trme-") as scratch_name:
            scratch = Path(scratch_name)
            for name, text in sources.items():
                (scratch / name).write_text(text)
            _verilator(tools, [*verilate, *sources], scratch)
            (scratch / "harness.cpp").write_text(harness)
            units = _write_units(scratch)
            include = ["-I", ".", "-isystem", tools.verilator.include, "-isystem", tools.verilator.include / "vltstd"]
            header = ["-include", runtime / "runtime.h"]
            compile_ = [tools.compiler.path, *compile_flags, "-O1", *header, *include, "-c"]
            _run_all([[*compile_, unit] for unit in units], scratch)
            objects = [*(Path(unit).with_suffix(".o") for unit in units), *sorted(runtime.glob("*.o"))]
            libraries = ["-lpthread", *(["-llz4", "-lz"] if trace == "fst" else [])]
            run([tools.compiler.path, "-shared", "-o", folder / "model.so", *objects, *libraries], cwd=scratch)

    entry, hit = tools.store.get(key, build)
    return Library(entry / "model.so", time.perf_counter() - begin, hit)


def lint(tools: Tools, sources: dict[str, str], *, top: str) -> list[str]:
    """Warnings and errors of ``verilator --lint-only -Wall`` for Verilog-2005, a line each; empty if it is clean."""
    with TemporaryDirectory(prefix="trme-") as scratch:
        for name, text in sources.items():
            (Path(scratch) / name).write_text(text)
        command = ["--lint-only", "-Wall", "-Wno-fatal", "--default-language", "1364-2005", "--top-module", top]
        try:
            printed = _verilator(tools, [*command, *sources], Path(scratch))
        except ToolFailed as error:
            return [str(error)]
    return [line for line in printed.splitlines() if line.startswith("%")]


@cache
def trace_format(tools: Tools) -> str:
    """The best format for waves that compiles here: ``fst`` where the headers of lz4 and zlib are, else ``vcd``."""
    with TemporaryDirectory(prefix="trme-") as scratch:
        (Path(scratch) / "try.cpp").write_text("#include <lz4.h>\n#include <zlib.h>\nint main() { return 0; }\n")
        try:
            run([tools.compiler.path, "try.cpp", "-llz4", "-lz", "-o", "try"], cwd=Path(scratch))
        except ToolFailed:
            return "vcd"
    return "fst"


def _verilator(tools, arguments, folder) -> str:
    env = {name: value for name, value in os.environ.items() if name != "VERILATOR_ROOT"} | tools.verilator.environment
    return run([tools.verilator.binary, *arguments], cwd=folder, env=env)


def _write_units(folder: Path) -> list[str]:
    """Gather the model's C++ in as many translation units as pay, of about the same size, and return their names."""
    sizes = {path.name: path.stat().st_size for path in sorted(folder.glob("*.cpp"))}
    count = max(1, min(_JOBS, sum(sizes.values()) // _UNIT_BYTES))
    units = [([], 0) for _ in range(count)]
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):  # the largest first, each to where least is
        names, total = units.pop(min(range(count), key=lambda n: units[n][1]))
        units.append(([*names, name], total + sizes[name]))
    for n, (names, _) in enumerate(units):
        (folder / f"unit{n}.cpp").write_text("".join(f'#include "{name}"\n' for name in names))
    return [f"unit{n}.cpp" for n in range(count)]


def _run_all(commands, folder) -> None:
    with ThreadPoolExecutor(max_workers=_JOBS) as pool:
        list(pool.map(lambda command: run(command, cwd=folder), commands))


def _compile_flags(vpi, trace, savable) -> list[str]:
    # Without -fno-gnu-unique two libraries in one process would share statics of inline functions.
    flags = [
        "-std=c++17",
        "-fPIC",
        "-fno-gnu-unique",
        "-w",
        "-DVL_TIME_CONTEXT",
        "-DVERILATOR=1",
        "-DVM_SC=0",
        "-DVM_COVERAGE=0",
    ]
    flags += [
        f"-DTRME_SAVABLE={int(savable)}",
        f"-DVM_TRACE={int(bool(trace))}",
        f"-DVM_TRACE_VCD={int(trace == 'vcd')}",
        f"-DVM_TRACE_FST={int(trace == 'fst')}",
    ]
    return flags if vpi else [*flags, "-fvisibility=hidden"]


def _runtime(tools, vpi, trace, savable) -> Path:
    """The folder with the runtime's objects and the precompiled header for these features."""
    files = ["verilated.cpp", "verilated_threads.cpp"]
    files += ["verilated_vpi.cpp"] if vpi else []
    files += [f"verilated_{trace}_c.cpp"] if trace else []
    files += ["verilated_save.cpp"] if savable else []
    headers = ["verilated.h", *(["verilated_vpi.h"] if vpi else []), *([f"verilated_{trace}_c.h"] if trace else [])]
    flags = _compile_flags(vpi, trace, savable)
    key = content_key("runtime", tools.identity, *flags, *files)
    include = ["-isystem", tools.verilator.include, "-isystem", tools.verilator.include / "vltstd"]

    def build(folder: Path) -> None:
        (folder / "runtime.h").write_text("".join(f"#include <{name}>\n" for name in headers))
        jobs = [
            [tools.compiler.path, *flags, "-O2", "-c", tools.verilator.include / name, "-o", f"{Path(name).stem}.o", *include]
            for name in files
        ]
        jobs.append([tools.compiler.path, *flags, "-O1", "-x", "c++-header", "runtime.h", "-o", "runtime.h.gch", *include])
        _run_all(jobs, folder)

    return tools.store.get(key, build)[0]
