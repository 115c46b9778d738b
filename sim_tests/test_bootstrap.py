# SPDX-License-Identifier: Apache-2.0
"""The set-up of a checkout, without the network: pip is replaced, everything else is real."""

import json
import subprocess
import sys

import pytest

from sim_tests.conftest import ROOT
from toolchain import bootstrap


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout at an awkward path, and the list of commands that the set-up would run."""
    root = tmp_path / "a ü b"
    root.mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        (root / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(bootstrap, "ROOT", root)
    monkeypatch.setattr(bootstrap, "VENV", root / ".venv")
    monkeypatch.setattr(bootstrap, "STATE", root / ".venv" / "trme-setup.json")
    calls = []

    def call(command, failure):
        calls.append([str(word) for word in command])
        (root / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
        (root / ".venv" / "bin" / "python").touch()

    monkeypatch.setattr(bootstrap, "call", call)
    return root, calls


def test_first_call_installs_and_second_does_nothing(checkout):
    _, calls = checkout
    assert bootstrap.main([]) == 0
    assert [command[1:3] for command in calls] == [["-m", "venv"], ["-m", "pip"]]
    assert calls[1][-3:] == ["constraints.txt", "-e", "."]
    calls.clear()
    assert bootstrap.main([]) == 0
    assert calls == []


def test_extras_add_up(checkout):
    _, calls = checkout
    bootstrap.main(["dev"])
    calls.clear()
    assert bootstrap.main([]) == 0
    assert calls == []
    bootstrap.main(["torch"])
    assert calls[0][-1] == ".[dev,torch]"


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_file_is_noticed(checkout, name):
    root, calls = checkout
    bootstrap.main([])
    calls.clear()
    (root / name).write_text((root / name).read_text() + "\n# changed\n")
    bootstrap.main([])
    assert [command[1:3] for command in calls] == [["-m", "pip"]]


@pytest.mark.parametrize("change", [{"root": "/elsewhere"}, {"python": "3.9"}])
def test_moved_checkout_and_other_python_start_anew(checkout, change):
    _, calls = checkout
    bootstrap.main(["dev"])
    calls.clear()
    bootstrap.STATE.write_text(json.dumps(json.loads(bootstrap.STATE.read_text()) | change))
    bootstrap.main([])
    assert [command[1:3] for command in calls] == [["-m", "venv"], ["-m", "pip"]]


def test_interrupted_installation_is_done_again(checkout, monkeypatch, capsys):
    _, calls = checkout

    def fail(command, failure):
        raise bootstrap.SetupError(f"{failure}: see above", 1)

    bootstrap.main([])
    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, "call", fail)
        assert bootstrap.main(["dev"]) == 1
    assert "pip could not install the project (is the network there?): see above" in capsys.readouterr().err
    calls.clear()
    assert bootstrap.main([]) == 0
    assert calls


@pytest.mark.parametrize("tool", bootstrap.SYSTEM_TOOLS)
def test_missing_system_tool_is_named_with_its_package(checkout, monkeypatch, capsys, tool):
    real = bootstrap.shutil.which
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None if name == tool else real(name))
    assert bootstrap.main([]) == 3
    assert capsys.readouterr().err == f"trme: {tool} is not on PATH: apt install {tool}\n"


def test_old_python_is_told(checkout, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap, "OLDEST_PYTHON", (4, 0))
    assert bootstrap.main([]) == 3
    assert "3.11 or newer is needed" in capsys.readouterr().err


def test_python_without_venv_is_told(checkout, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert bootstrap.main([]) == 3
    assert capsys.readouterr().err == "trme: python3 cannot make environments: apt install python3-venv\n"


def test_bootstrap_needs_only_the_standard_library():
    code = "import sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; import toolchain.bootstrap"
    subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"], check=True)


def test_make_without_python_says_what_to_install():
    done = subprocess.run(["make", "-C", ROOT, "setup", "PYTHON=no-such-python"], capture_output=True, text=True)
    assert "trme: no-such-python is not on PATH: apt install python3 python3-venv" in done.stderr
    assert done.returncode == 2
