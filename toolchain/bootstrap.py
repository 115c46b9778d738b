# SPDX-License-Identifier: Apache-2.0
"""Sets a checkout up: a private environment in .venv with the project and its tools.

Run by the Makefile with the system's own python3, before anything is installed: standard library only, and readable by
Pythons too old for the project, so that they can say so. Does nothing, quickly, if all is as the last time.
"""

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STATE = VENV / "trme-setup.json"
OLDEST_PYTHON = (3, 11)
SYSTEM_TOOLS = ("g++", "make", "perl")
"""Programs that must be on PATH; on Debian and Ubuntu the package of that name brings each."""


class SetupError(Exception):
    """One sentence, and the exit code that goes with it."""

    def __init__(self, sentence, code):
        super().__init__(sentence)
        self.code = code


def main(extras):
    """Make the environment if it is not there as wanted; returns the exit code."""
    try:
        check_system()
        with open_lock() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            install(set(extras))
    except SetupError as error:
        print(f"trme: {error}", file=sys.stderr)
        return error.code
    return 0


def check_system():
    """Refuse what cannot work, naming the package that helps."""
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:2]))
        raise SetupError(f"python3 is {found}, and 3.11 or newer is needed: give one with 'make PYTHON=python3.11'", 3)
    for tool in SYSTEM_TOOLS:
        if shutil.which(tool) is None:
            raise SetupError(f"{tool} is not on PATH: apt install {tool}", 3)
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise SetupError("python3 cannot make environments: apt install python3-venv", 3) from None


def open_lock():
    """A file to lock, so that two first calls do not install into each other."""
    try:
        return (ROOT / ".venv.lock").open("w")
    except OSError as error:
        raise SetupError(f"cannot write into the checkout {ROOT}: {error.strerror}", 2) from None


def install(extras):
    """Bring .venv to what pyproject.toml and constraints.txt say, with these extras and those installed before."""
    state = read_state()
    usable = state.get("root") == str(ROOT) and state.get("python") == sys.version and venv_python().exists()
    if usable:
        extras |= set(state["extras"])
    if usable and state["files"] == fingerprint() and extras == set(state["extras"]):
        return
    wanted = f" with {', '.join(sorted(extras))}" if extras else ""
    print(f"trme: setting up {VENV}{wanted}; this takes some minutes once", file=sys.stderr)
    if not usable:
        call([sys.executable, "-m", "venv", "--clear", VENV], "python3 could not make the environment")
    if STATE.exists():
        STATE.unlink()  # an installation that is interrupted must not look finished
    project = f".[{','.join(sorted(extras))}]" if extras else "."
    options = ["--quiet", "--disable-pip-version-check", "-c", "constraints.txt", "-e", project]
    call([venv_python(), "-m", "pip", "install", *options], "pip could not install the project (is the network there?)")
    partial = STATE.with_suffix(".partial")
    partial.write_text(json.dumps({"root": str(ROOT), "python": sys.version, "files": fingerprint(), "extras": sorted(extras)}))
    partial.replace(STATE)


def venv_python():
    """The environment's interpreter."""
    return VENV / "bin" / "python"


def read_state():
    """What the last complete installation was, or nothing."""
    try:
        return json.loads(STATE.read_text())
    except (OSError, ValueError):
        return {}


def fingerprint():
    """Of the files that say what is to be installed."""
    texts = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def call(command, failure):
    """Run a step; its own output tells what went wrong, the sentence what it was for."""
    if subprocess.call([str(word) for word in command], cwd=str(ROOT), stdout=sys.stderr.fileno()):
        raise SetupError(f"{failure}: see above", 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
