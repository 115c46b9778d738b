# SPDX-License-Identifier: Apache-2.0
"""A sweep: the points of a grid, measured once each, whatever interrupts it."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TextIO

from toolchain.errors import BadInput
from trme import pool
from trme.catalog import Unit
from trme.grid import Grid, Value, combinations
from trme.point import MEASURES, Point, fingerprint, measure

__all__ = ["JOURNAL", "Sweep", "canonical", "make_points", "run"]

JOURNAL = "points.jsonl"
"""In a sweep's folder: a line for each point that is done, written when it is."""


@dataclass(frozen=True)
class Sweep:
    """Points and what was found at each.

    Parameters
    ----------
    points : list of Point
    rows : list of dict
        As `trme.point.measure` returns them.
    n_kept : int
        How many of them were known before.
    """

    points: list[Point]
    rows: list[dict[str, Any]]
    n_kept: int

    @property
    def failures(self) -> list[tuple[Point, str]]:
        """Points that failed, and why."""
        return [(point, row["failure"]) for point, row in zip(self.points, self.rows, strict=True) if row["failure"]]


def make_points(unit: Unit, fixed: dict[str, Value], grid: Grid, base: Point) -> list[Point]:
    """The points of a grid.

    Parameters
    ----------
    fixed : dict
        Parameters that have one value; what is neither here nor in the grid has its default.
    base : Point
        How all are measured, where the grid does not say otherwise.
    """
    defaults = {field.name: field.default for field in fields(unit.load("parameters"))}
    points = []
    for chosen in combinations(grid):
        parameters = defaults | fixed | {name: value for name, value in chosen.items() if name in defaults}
        others: dict[str, Any] = {name: value for name, value in chosen.items() if name not in defaults}
        points.append(replace(base, unit=unit.name, parameters=parameters, **others))
    return points


def run(
    points: Sequence[Point],
    folder: Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Sweep:
    """Measure all points that the folder's journal does not have yet.

    A point that failed in a way that need not happen again, such as a crash, is tried again when the sweep is.

    Parameters
    ----------
    jobs, scheduler
        As in `trme.pool.run`.
    progress : callable
        Told the number of points that are done.

    Raises
    ------
    BadInput
        If the folder cannot be written, or the scheduler does not answer.
    ToolMissing
        If a tool that the points need is not on this machine.
    """
    workbench = {point.device: fingerprint(point) for point in {point.device: point for point in points}.values()}
    keys = [point.key(workbench[point.device]) for point in points]
    with _journal(folder) as journal:
        known = _read(journal)
        left = [n for n, key in enumerate(keys) if key not in known]
        rows = {n: known[key] for n, key in enumerate(keys) if key in known}
        n_kept = len(rows)
        progress(n_kept)

        def done(call: int, result: Any) -> None:
            row = _lost(result) if isinstance(result, BaseException) else result
            rows[left[call]] = row
            if row["is_lasting"]:
                journal.write(json.dumps({"key": keys[left[call]], "row": row}) + "\n")
                journal.flush()
            progress(len(rows))

        if left:
            calls = [(points[n], workbench[points[n].device]) for n in left]
            try:
                pool.run(measure, calls, done, jobs=jobs, scheduler=scheduler)
            except KeyboardInterrupt:
                n_done = sum(row["is_lasting"] for row in rows.values())
                print(
                    f"{n_done} of {len(points)} points are kept in {folder}: the same command goes on from there",
                    file=sys.stderr,
                )
                raise
    return Sweep(list(points), [rows[n] for n in range(len(points))], n_kept)


def _lost(error: BaseException) -> dict[str, Any]:
    """The row of a point whose worker gave no answer."""
    sentence = f"the worker gave no answer: {type(error).__name__}: {' '.join(str(error).split())}"
    return {"failure": sentence, "is_lasting": False, "attempts": []}


def _journal(folder: Path) -> TextIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / JOURNAL).open("a+", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error


def _read(journal: TextIO) -> dict[str, dict[str, Any]]:
    """Rows by key; a line that a kill cut off is passed over, and the next one begins afresh."""
    journal.seek(0)
    text = journal.read()
    if text and not text.endswith("\n"):
        journal.write("\n")
    return {entry["key"]: entry["row"] for entry in _entries(text)}


def _entries(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
            if entry["key"] and "failure" in entry["row"]:
                yield entry
        except (ValueError, TypeError, KeyError):
            continue


def canonical(measures: Sequence[str]) -> tuple[str, ...]:
    """Names of measures, each once, in the order of the table; the order in which they are asked for changes nothing."""
    return tuple(name for name in MEASURES if name in measures)
