# SPDX-License-Identifier: Apache-2.0
"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

import sys
import time

__all__ = ["Progress"]

_LINE_EVERY_S = 10.0


class Progress:
    """A count ``done`` that grows to ``total``, if that is known; a context manager."""

    def __init__(self, noun: str, total: int | None):
        self.noun, self.total, self.done = noun, total, 0
        self._bar = None
        self._begin = self._last_line = time.monotonic()

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TimeRemainingColumn
            from rich.text import Text

            class Rate(ProgressColumn):
                def render(self, task):
                    return Text(f"{_say(task.speed or 0)} {self.noun}/s")

                noun = self.noun

            columns = BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn()
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self.noun, total=self.total)
            self._bar.start()
        return self

    def __exit__(self, *exception) -> None:
        if self._bar:
            self._bar.stop()

    def update(self, done: int) -> None:
        """Say that so many are done."""
        self.done = done
        if self._bar:
            self._bar.update(self._task, completed=done)
            return
        now = time.monotonic()
        if now - self._last_line >= _LINE_EVERY_S:
            self._last_line = now
            rate = done / (now - self._begin)
            left = f", {(self.total - done) / rate:.0f} s left" if self.total else ""
            print(f"{done} {self.noun}, {_say(rate)}/s{left}", file=sys.stderr)


def _say(rate: float) -> str:
    """A rate in few digits, also of what takes seconds each."""
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
