# SPDX-License-Identifier: Apache-2.0
"""The house's plots: one quiet style, labels with units, colours that the colour-blind can tell apart.

matplotlib takes its time to import, so that only drawing does. Figures are made without pyplot: nothing global, no window.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trme.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "GREY", "MARKERS", "boxes", "legend", "new_figure", "save", "save_svg", "style", "title"]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito, "Color universal design", 2008: in the order that keeps neighbours apart; the pale yellow is left out."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Go with the colours, for paper without them."""
GREY = "#8c8c8c"
_INK = "#303030"
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans", "font.size": 9.0, "text.color": _INK,
    "axes.edgecolor": "#b0b0b0", "axes.labelcolor": _INK, "axes.linewidth": 0.8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#e6e6e6", "grid.linewidth": 0.7,
    "xtick.color": "#707070", "ytick.color": "#707070", "xtick.labelcolor": _INK, "ytick.labelcolor": _INK,
    "legend.frameon": False, "legend.fontsize": 8.5, "lines.linewidth": 1.4, "lines.markersize": 5.0,
    "figure.facecolor": "white", "savefig.facecolor": "white", "svg.hashsalt": "trme", "svg.fonttype": "none",
}  # fmt: skip


@contextmanager
def style() -> Iterator[None]:
    """All drawing and saving happens in here."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        yield


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple["Figure", list["Axes"]]:
    """A figure of so many inches, and its axes row by row; ``options`` go to ``Figure.subplots``."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


def title(figure: "Figure", heading: str, below: str) -> None:
    """What is shown, and on a smaller line what it was measured with."""
    import textwrap

    width_inches, height_inches = figure.get_size_inches()
    lines = textwrap.wrap(below, max(round(15 * width_inches), 40))
    top_inches = 0.42 + 0.17 * len(lines)
    room: Any = figure.get_layout_engine()
    room.set(rect=(0, 0, 1, 1 - top_inches / height_inches))
    x = 0.1 / width_inches
    figure.text(x, 1 - 0.1 / height_inches, heading, fontsize=11.5, fontweight="bold", ha="left", va="top")
    below = "\n".join(lines)
    figure.text(x, 1 - 0.36 / height_inches, below, fontsize=8.0, color="#707070", ha="left", va="top", linespacing=1.35)


def legend(axes: "Axes", **options: Any) -> None:
    """A legend beside the axes, where it hides nothing; ``options`` go to ``Axes.legend``."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), alignment="left", borderaxespad=0.3, **options)


def boxes(axes: "Axes", values: Sequence[Sequence[float]], labels: Sequence[str], colours: Sequence[str]) -> None:
    """Boxes lying one below another, the first on top, with every value as a dot; the dots are what was measured."""
    places = range(len(values), 0, -1)
    drawn = axes.boxplot(
        values, positions=list(places), orientation="horizontal", widths=0.55, showfliers=False, patch_artist=True,
        medianprops={"color": _INK, "linewidth": 1.4}, whiskerprops={"color": GREY}, showcaps=False,
        boxprops={"linewidth": 0.8},
    )  # fmt: skip
    for place, box, colour, found in zip(places, drawn["boxes"], colours, values, strict=True):
        box.set(facecolor=colour, alpha=0.25, edgecolor=colour)
        axes.plot(found, [place] * len(found), "o", color=colour, markersize=3.2, alpha=0.9, zorder=3)
    axes.set_yticks(list(places), labels)
    axes.set_ylim(0.3, len(values) + 0.7)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def save(figure: "Figure", folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG, whole or not at all; the same figure gives the same bytes."""
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    write_whole(paths[0], lambda partial: figure.savefig(partial, dpi=150))
    save_svg(figure, paths[1])
    return paths


def save_svg(figure: "Figure", path: Path, description: str | None = None) -> None:
    """Write a figure as SVG, whole or not at all, with a text in it that is not seen."""
    write_whole(path, lambda partial: figure.savefig(partial, metadata={"Date": None, "Description": description}))
