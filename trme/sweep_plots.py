# SPDX-License-Identifier: Apache-2.0
"""Plots of a sweep: Fmax against area with the Pareto front, metrics against parameters, spread over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from toolchain.errors import BadInput
from trme import plots
from trme.grid import Grid
from trme.pareto import pareto_front
from trme.point import MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Picture", "draw"]

_MOST_BOXES = 40
_MOST_SMALL = 6
_MOST_NAMED = 8


@dataclass(frozen=True)
class Picture:
    """What is drawn.

    Parameters
    ----------
    unit : str
    below : str
        What it was measured with, for under the title.
    grid : Grid
    measures : tuple of str
    rows : list of dict
        Of `trme.sweep_tables.point_rows`.
    attempts : list of list of float
        Fmax of the seeds of each point.
    """

    unit: str
    below: str
    grid: Grid
    measures: tuple[str, ...]
    rows: list[dict[str, Any]]
    attempts: list[list[float]]

    @property
    def axes(self) -> list[str]:
        """Names that have more than one value."""
        return [name for name, values in self.grid.items() if len(values) > 1]

    @property
    def group(self) -> str | None:
        """The axis that is shown by colour: the first of words, else the one with the fewest values if they are few."""
        words = [name for name in self.axes if not _is_numeric(self.grid[name])]
        if words:
            return words[0]
        few = sorted(
            (name for name in self.axes if len(self.grid[name]) <= len(plots.COLOURS)), key=lambda n: len(self.grid[n])
        )
        return few[0] if few and len(self.axes) > 1 else None

    @property
    def area(self) -> str | None:
        """The resource of which there is most, and that differs between points."""
        sums = {}
        for name in self.measures:
            found = [row[name] for row in self.rows if name in row and row[name] is not None]
            if name in ("lut", "ff", "dsp", "bram") and len(set(found)) > 1:
                sums[name] = sum(found)
        return next(iter(sums), None)

    def label(self, row: dict[str, Any]) -> str:
        """A point in few words: what differs."""
        return "  ".join(_say(name, row[name]) for name in self.axes) or self.unit


def _is_numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _say(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{name.replace('_', ' ')}: {_tick(value)}"
    return value if isinstance(value, str) else f"{name} {value}"


def _tick(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def draw(picture: Picture, folder: Path) -> list[Path]:
    """Draw what the measures allow; returns the files.

    Raises
    ------
    BadInput
        If the folder cannot be written.
    """
    found = [row for row in picture.rows if not row["failure"]]
    if len(found) < 2:
        return []
    try:
        with plots.style():
            paths = _trade_off(picture, found, folder) if "fmax" in picture.measures and picture.area else []
            paths += _small_multiples(picture, found, folder) if picture.axes else []
            return paths + (_spread(picture, folder) if any(len(seeds) > 1 for seeds in picture.attempts) else [])
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error


def _groups(picture: Picture, rows: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]], str, str]]:
    """Label, rows, colour and marker of each group; beyond seven they share the last colour."""
    group = picture.group
    if group is None:
        return [("", rows, plots.COLOURS[0], plots.MARKERS[0])]
    found = []
    for n, value in enumerate(picture.grid[group]):
        mine = [row for row in rows if row[group] == value]
        look = min(n, len(plots.COLOURS) - 1)
        if mine:
            found.append((_say(group, value), mine, plots.COLOURS[look], plots.MARKERS[look]))
    return found


def _trade_off(picture: Picture, rows: list[dict[str, Any]], folder: Path) -> list[Path]:
    area = picture.area or ""
    costs = np.array([[row[area], -row["fmax_median_mhz"]] for row in rows], float)
    front = sorted((row for row, best in zip(rows, pareto_front(costs), strict=True) if best), key=lambda row: row[area])
    figure, (axes,) = plots.new_figure(8.2, 5.0)
    axes.step(
        [row[area] for row in front], [row["fmax_median_mhz"] for row in front], where="post", color=plots.GREY,
        linewidth=1.2, label="Pareto front", zorder=2,
    )  # fmt: skip
    for label, mine, colour, marker in _groups(picture, rows):
        x, y = [row[area] for row in mine], np.array([row["fmax_median_mhz"] for row in mine])
        ends = [np.array([row[f"fmax_{end}_mhz"] for row in mine]) for end in ("min", "max")]
        axes.errorbar(x, y, [y - ends[0], ends[1] - y], fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.35, zorder=1)
        axes.plot(
            x,
            y,
            marker,
            color=colour,
            alpha=0.85,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=label or "a point",
            zorder=3,
        )
    axes.margins(x=0.08, y=0.1)
    _number_front(axes, picture, front, area)
    axes.set_xlabel(f"area ({MEASURES[area].label})")
    has_spread = any(len(seeds) > 1 for seeds in picture.attempts)
    axes.set_ylabel("Fmax (MHz)" + (": median, and least to most over seeds" if has_spread else ""))
    plots.title(figure, f"{picture.unit}: Fmax against area", picture.below)
    return plots.save(figure, folder, "fmax-against-area")


def _number_front(axes: "Axes", picture: Picture, front: list[dict[str, Any]], area: str) -> None:
    """Numbers beside the points of the front, and their names in the legend, where they have room."""
    from matplotlib.lines import Line2D

    handles, _ = axes.get_legend_handles_labels()
    step = max(1, -(-(len(front) - 1) // (_MOST_NAMED - 1)))
    named = [*front[:-1:step], front[-1]]
    for n, row in enumerate(named, start=1):
        at = row[area], row["fmax_median_mhz"]
        axes.annotate(
            str(n), at, xytext=(-5, 6), textcoords="offset points", fontsize=8, fontweight="bold", ha="right", zorder=4
        )
        label = f"{picture.label(row)}\n{at[0]} {MEASURES[area].label}, {at[1]:.0f} MHz"
        handles.append(Line2D([], [], linestyle="none", marker=f"${n}$", color="black", markeredgewidth=0, label=label))
    plots.legend(axes, handles=handles)


def _small_multiples(picture: Picture, rows: list[dict[str, Any]], folder: Path) -> list[Path]:
    """A file per axis of the grid, a small plot per measure."""
    paths = []
    measures = [
        name for name in picture.measures if len({row[MEASURES[name].columns[0]] for row in rows} - {None}) > 1
    ][:_MOST_SMALL] or list(picture.measures[:1])  # fmt: skip
    for axis in picture.axes:
        columns = 2 if len(measures) == 4 else min(len(measures), 3)
        lines = -(-len(measures) // columns)
        figure, places = plots.new_figure(max(2.9 * columns, 4.4) + 1.3, 2.5 * lines + 0.8, lines, columns)
        for axes, name in zip(places, measures, strict=False):
            _against(axes, picture, rows, axis, name)
        for axes in places[len(measures) :]:
            axes.remove()
        if picture.group not in (None, axis):
            plots.legend(places[columns - 1])
        medians = "; lines join medians" if _is_numeric(picture.grid[axis]) else ""
        plots.title(figure, f"{picture.unit} against {axis.replace('_', ' ')}", picture.below + medians)
        paths += plots.save(figure, folder, f"against-{axis.replace('_', '-')}")
    return paths


def _against(axes: "Axes", picture: Picture, rows: list[dict[str, Any]], axis: str, name: str) -> None:
    from matplotlib.ticker import MaxNLocator

    column = MEASURES[name].columns[0]
    values = picture.grid[axis]
    numeric = _is_numeric(values)
    place: dict[Any, Any] = {value: value if numeric else n for n, value in enumerate(values)}
    rows = [row for row in rows if row[column] is not None]
    groups = _groups(picture, rows)
    for n, (label, mine, colour, marker) in enumerate(groups):
        shift = 0.0 if numeric or len(groups) == 1 or picture.group == axis else 0.4 * (n / (len(groups) - 1) - 0.5)
        x = [place[row[axis]] + shift for row in mine]
        axes.plot(x, [row[column] for row in mine], marker, color=colour, alpha=0.7, markeredgewidth=0, label=label, zorder=3)
        if numeric:
            at = sorted({row[axis] for row in mine})
            medians = [np.median([row[column] for row in mine if row[axis] == value]) for value in at]
            axes.plot(at, medians, color=colour, alpha=0.6, linewidth=1.0, zorder=2)
    if not numeric:
        axes.set_xticks(range(len(values)), [_tick(value) for value in values], rotation=0 if len(values) < 5 else 30)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.grid(axis="x", visible=False)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_title(MEASURES[name].label, fontsize=9, loc="left")
    axes.set_xlabel(axis.replace("_", " "))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.set_ylim(0, 1.12 * max(row[column] for row in rows) or 1)


def _spread(picture: Picture, folder: Path) -> list[Path]:
    """A box per point; the fastest if there are many."""
    order = sorted(
        (n for n, seeds in enumerate(picture.attempts) if seeds), key=lambda n: -float(np.median(picture.attempts[n]))
    )
    shown = order[:_MOST_BOXES]
    colour = {id(row): colour for _, rows, colour, _ in _groups(picture, picture.rows) for row in rows}
    figure, (axes,) = plots.new_figure(7.2, 1.3 + 0.24 * max(len(shown), 3))
    rows = [picture.rows[n] for n in shown]
    plots.boxes(
        axes, [picture.attempts[n] for n in shown], [picture.label(row) for row in rows], [colour[id(row)] for row in rows]
    )  # fmt: skip
    axes.set_xlabel("Fmax (MHz), a dot for each seed")
    heading = f"{picture.unit}: spread of Fmax over seeds"
    plots.title(
        figure, heading + (f", the fastest {len(shown)} of {len(order)}" if len(shown) < len(order) else ""), picture.below
    )
    return plots.save(figure, folder, "spread-over-seeds")
