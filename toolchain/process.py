# SPDX-License-Identifier: Apache-2.0
"""Running outside programs."""

import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolchain.errors import ToolFailed, ToolMissing

__all__ = ["ProgramEnded", "Programs", "run"]


class ProgramEnded(ToolFailed):
    """A program ended with an error; ``output`` is all that it printed."""

    def __init__(self, sentence: str, output: str, code: int):
        super().__init__(sentence)
        self.output, self.code = output, code


class Programs:
    """Outside programs, of which several may run at once; leaving the context ends those that still do."""

    def __init__(self):
        self._running: set[subprocess.Popen] = set()
        self._is_over = False
        self._lock = threading.Lock()

    def __enter__(self) -> "Programs":
        return self

    def __exit__(self, *exception) -> None:
        self.end()

    def end(self) -> None:
        """End all that run, and let none begin."""
        with self._lock:
            self._is_over = True
            for program in self._running:
                program.kill()

    def run(
        self,
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
        ProgramEnded
            If it ends with an error; the message has its first error line.
        ToolFailed
            If it takes longer than ``timeout_s``, or this object is left before it ends.
        """
        name = Path(command[0]).name
        program = self._start([str(word) for word in command], name, cwd, env)
        try:
            printed, _ = program.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise ToolFailed(f"{name} was stopped after {timeout_s:g} s") from error
        finally:
            if program.poll() is None:
                program.kill()
                program.communicate()
            with self._lock:
                self._running.discard(program)
        if program.returncode:
            lines = [line.strip() for line in printed.splitlines() if line.strip()] or ["it printed nothing"]
            telling = next((line for line in lines if "error" in line.lower()), lines[-1])
            raise ProgramEnded(f"{name} ended with code {program.returncode}: {telling}", printed, program.returncode)
        return printed

    def _start(self, command, name, cwd, env) -> subprocess.Popen:
        with self._lock:
            if self._is_over:
                raise ToolFailed(f"{name} was not started, because the work around it was stopped")
            try:
                program = subprocess.Popen(
                    command,
                    cwd=cwd,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                )
            except (FileNotFoundError, PermissionError) as error:
                raise ToolMissing(f"cannot run {name}: {error.strerror}") from error
            self._running.add(program)
        return program


def run(command: Sequence[str | Path], **options) -> str:
    """Run one program, as `Programs.run` does."""
    with Programs() as programs:
        return programs.run(command, **options)
