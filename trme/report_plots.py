# SPDX-License-Identifier: Apache-2.0
"""The plot of all results: Fmax over seeds of every measurement, by device."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolchain.errors import ToolMissing
from trme import plots
from trme.report import CAUTION
from trme.results import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw"]

_ROW_INCHES = 0.19
_MISSED = "#c00000"
_MARKS: dict[str, dict[str, Any]] = {
    "a seed": {"marker": ".", "markersize": 3.5, "alpha": 0.7},
    "median": {"marker": "o", "markersize": 5.5},
    "median that was asked for": {"marker": "|", "markersize": 10.0, "markeredgewidth": 1.6, "color": "black"},
    "naive form": {"marker": "D", "markersize": 4.5, "fillstyle": "none", "color": "black"},
}


def draw(rows: Iterable[Row], path: Path, key: str) -> None:
    """Write the plot; ``key`` goes into the file as its description.

    Raises
    ------
    ToolMissing
        If matplotlib is not there.
    """
    if find_spec("matplotlib") is None:
        raise ToolMissing(
            "the Python package matplotlib is missing, which draws docs/results/fmax.svg: make setup EXTRAS=synth"
        )
    shown = [row for row in rows if row.has_figure]
    panels = {row.measurement.device: [r for r in shown if r.measurement.device == row.measurement.device] for row in shown}
    units = dict.fromkeys(row.measurement.unit for row in shown)
    colours: dict[str, str] = dict(zip(units, plots.COLOURS, strict=False))
    with plots.style():
        heights = [len(panel) + 1.6 for panel in panels.values()]
        height = 1.3 + _ROW_INCHES * sum(heights)
        figure, places = plots.new_figure(9.0, height, len(panels), 1, height_ratios=heights, sharex=True)
        plots.title(
            figure,
            "Fmax after routing",
            f"over seeds, by device; a median that was asked for and missed is red; {CAUTION} with care",
        )
        _add_legend(figure)
        for axes, (device, panel) in zip(places, panels.items(), strict=True):
            _draw_panel(axes, device, panel, colours)
        places[-1].set_xlabel("MHz")
        _set_limit(places, panels, colours)
        plots.save_svg(figure, path, key)


def _add_legend(figure: "Figure") -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linestyle="none", label=name, **_mark(name, "black")) for name in _MARKS]
    figure.legend(handles=handles, loc="upper right", ncols=len(handles), handletextpad=0.1, columnspacing=1.2)


def _draw_panel(axes: "Axes", device: str, rows: Sequence[Row], colours: dict[str, str]) -> None:
    for place, row in zip(range(len(rows), 0, -1), rows, strict=True):
        _draw_row(axes, place, row, colours[row.measurement.unit])
    limit = rows[0].outcome.clock_limit_mhz if rows[0].outcome else None
    if limit:
        axes.axvline(limit, color=plots.GREY, linestyle=":", linewidth=1.2)
        axes.annotate(f"clock network {limit:g}", (limit, 1.0), xycoords=("data", "axes fraction"), xytext=(3, 2),
                      textcoords="offset points", fontsize=7, color=plots.GREY)  # fmt: skip
    axes.set_yticks(range(len(rows), 0, -1), [_label(row) for row in rows], fontsize=7.5)
    axes.set_ylim(0.3, len(rows) + 0.7)
    axes.grid(axis="y", color="#f2f2f2")
    axes.tick_params(axis="y", length=0)
    careful = any(row.outcome and row.outcome.caveat for row in rows)
    axes.set_title(f"{device} {CAUTION}" if careful else device, fontsize=9, fontweight="bold", loc="left")


def _set_limit(places: Sequence["Axes"], panels: dict[str, list[Row]], colours: dict[str, str]) -> None:
    """Figures that are to be taken with care do not stretch the axis: those beyond its end are said there."""
    found = [row.outcome for panel in panels.values() for row in panel if row.outcome]
    right = 1.05 * max(outcome.fmax_mhz[-1] for outcome in [o for o in found if not o.caveat] or found)
    places[-1].set_xlim(0, right)
    for axes, panel in zip(places, panels.values(), strict=True):
        for place, row in zip(range(len(panel), 0, -1), panel, strict=True):
            median = row.outcome.median_mhz if row.outcome else None
            if median and median > right:
                text = f"{median:.0f} \u2192"
                axes.text(right, place, text, color=colours[row.measurement.unit], fontsize=7.5, ha="right", va="center")


def _draw_row(axes: "Axes", place: int, row: Row, colour: str) -> None:
    found, asked = row.outcome, row.measurement.median
    if found is None or found.median_mhz is None:
        return

    def mark(name: str, values: Sequence[float], **options: Any) -> None:
        axes.plot(values, [place] * len(values), linestyle="none", **(_mark(name, colour) | options))

    axes.plot([found.fmax_mhz[0], found.fmax_mhz[-1]], [place, place], color=colour, linewidth=1.0, alpha=0.5)
    mark("a seed", found.fmax_mhz)
    mark("median", [found.median_mhz])
    if asked:
        mark("median that was asked for", [asked], **({"color": _MISSED} if found.median_mhz < asked else {}))
    if found.naive and found.naive.median_mhz:
        mark("naive form", [found.naive.median_mhz])


def _mark(name: str, colour: str) -> dict[str, Any]:
    return {"color": colour} | _MARKS[name]


def _label(row: Row) -> str:
    wanted = row.measurement
    more = [f"{wanted.copies} copies"] * (wanted.copies > 1) + ["with streams"] * wanted.streams
    return ", ".join([wanted.label, *more])
