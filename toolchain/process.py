# SPDX-License-Identifier: Apache-2.0
"""Running outside programs."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolchain.errors import ToolFailed, ToolMissing

__all__ = ["run"]


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> str:
    """Run a program to its end and return what it printed on both outputs.

    Raises
    ------
    ToolMissing
        If there is no such program.
    ToolFailed
        If it ends with an error or takes longer than ``timeout_s``; the message has its first error line.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env=env,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except (FileNotFoundError, PermissionError) as error:
        raise ToolMissing(f"cannot run {name}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ToolFailed(f"{name} was stopped after {timeout_s:g} s") from error
    if done.returncode:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()] or ["it printed nothing"]
        telling = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise ToolFailed(f"{name} ended with code {done.returncode}: {telling}")
    return done.stdout
