# SPDX-License-Identifier: Apache-2.0
"""Puts the results into README.md, docs/results.md and docs/results/fmax.svg, all or nothing."""

import stat
from dataclasses import dataclass
from pathlib import Path

from toolchain.errors import BadInput
from toolchain.store import content_key
from trme.files import write_whole
from trme.markdown import splice
from trme.measurements import Plan
from trme.report import page, summary
from trme.results import Row

__all__ = ["PART", "Publication"]

PART = "results"
"""The name in the marks of README.md and docs/results.md."""


@dataclass(frozen=True)
class Publication:
    """The results as they should stand in a checkout.

    Parameters
    ----------
    root : Path
        Folder of README.md and docs/.
    plan : Plan
    rows : dict of str to Row
    """

    root: Path
    plan: Plan
    rows: dict[str, Row]

    @property
    def plot(self) -> Path:
        """The plot of all Fmax."""
        return self.root / "docs" / "results" / "fmax.svg"

    @property
    def _key(self) -> str:
        """What is in the plot, in one word that is written into it."""
        code = Path(__file__).with_name("report_plots.py").read_text(encoding="utf-8")
        shown = [
            (row.measurement, row.outcome.fmax_mhz, row.outcome.naive, row.outcome.clock_limit_mhz)
            for row in self.rows.values()
            if row.outcome and row.has_figure
        ]
        return content_key("fmax 1", code, repr(shown))

    def stale_pages(self) -> dict[Path, str]:
        """The pages that say something else, with what they should say.

        Raises
        ------
        BadInput
            If one cannot be read, or has not the marks to write between.
        """
        stale = {}
        for name, text in (("README.md", summary(self.plan, self.rows)), ("docs/results.md", page(self.plan, self.rows))):
            path = self.root / name
            try:
                old = path.read_text(encoding="utf-8")
            except OSError as error:
                raise BadInput(f"cannot read {path}: {error.strerror}: --root must be a checkout of the workbench") from error
            if (new := splice(old, PART, text, str(path))) != old:
                stale[path] = new
        return stale

    def plot_is_stale(self) -> bool:
        """Whether the plot shows something else, or is missing."""
        try:
            return self._key not in self.plot.read_text(encoding="utf-8")
        except OSError:
            return any(row.has_figure for row in self.rows.values())

    def write(self) -> list[Path]:
        """Bring all up to date; returns what has changed.

        Raises
        ------
        BadInput
            If a file cannot be written; none of the pages has changed then.
        ToolMissing
            If there is something to draw, and no matplotlib.
        """
        pages = self.stale_pages()
        for path in pages:
            if not path.stat().st_mode & stat.S_IWUSR:
                raise BadInput(f"{path} is read-only: chmod u+w {path}")
        changed = []
        try:
            if self.plot_is_stale():
                from trme.report_plots import draw

                draw(self.rows.values(), self.plot, self._key)
                changed.append(self.plot)
            for path, text in pages.items():
                write_whole(path, lambda partial, text=text: partial.write_text(text, encoding="utf-8"))
                changed.append(path)
        except OSError as error:
            raise BadInput(f"cannot write {error.filename or self.root}: {error.strerror}") from error
        return changed
