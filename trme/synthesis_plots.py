# SPDX-License-Identifier: Apache-2.0
"""Plots of one synthesis: Fmax over seeds against target and clock limit, and where the critical path spends its time."""

from pathlib import Path
from typing import TYPE_CHECKING

from synth.flow import Result
from trme import plots
from trme.design import Design

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]


def draw(result: Result, design: Design, folder: Path) -> list[Path]:
    """Write ``timing.png`` and ``timing.svg``; returns their paths."""
    with plots.style():
        height = 2.6 + 0.35 * len(result.strategies)
        figure, (spread, path) = plots.new_figure(9.0, height, 2, 1, height_ratios=[1.2 + 0.35 * len(result.strategies), 1.0])
        n_seeds = len({attempt.seed for attempt in result.attempts})
        tools = "; ".join(f"{tool.name} {tool.version.split(',')[0]}" for tool in result.tools)
        heading = f"{design.unit.name} on {result.device.name}"
        plots.title(figure, heading, f"{design.configuration}; {n_seeds} seeds from {result.attempts[0].seed}; {tools}")
        _draw_spread(spread, result)
        _draw_path(path, result)
        return plots.save(figure, folder, "timing")


def _draw_spread(axes: "Axes", result: Result) -> None:
    found = {
        name: [a.fmax_mhz for a in result.attempts if a.strategy == name and a.fmax_mhz is not None]
        for name in result.strategies
    }
    found = {name: values for name, values in found.items() if values}
    plots.boxes(axes, list(found.values()), list(found), [plots.COLOURS[n % len(plots.COLOURS)] for n in range(len(found))])
    marks = [(result.target_mhz, "target", "-"), (result.device.clock_limit_mhz, "clock network's limit", ":")]
    for mhz, text, line in marks:
        if mhz:
            axes.axvline(mhz, color=plots.GREY, linestyle=line, linewidth=1.2, label=f"{text}, {mhz:g} MHz")
    axes.set_xlabel("Fmax after routing [MHz]")
    if any(mhz for mhz, *_ in marks):
        plots.legend(axes)


def _draw_path(axes: "Axes", result: Result) -> None:
    path = result.critical_path
    axes.set_yticks([])
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("critical path of the typical seed [ns]")
    if path is None:
        return
    begin, colours = 0.0, {"routing": plots.GREY}
    for kind, delay in path.steps:
        if delay <= 0:
            continue
        colour = colours.setdefault(kind, plots.COLOURS[(len(colours) - 1) % len(plots.COLOURS)])
        label = kind if colour not in [bar[0].get_facecolor() for bar in axes.containers] else None
        axes.barh(0, delay, left=begin, color=colour, edgecolor="white", linewidth=0.6, label=label, height=0.6)
        begin += delay
    handles, labels = axes.get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    plots.legend(axes, handles=list(by_label.values()), labels=list(by_label))
    axes.set_title(f"{path.start}  to  {path.end}", fontsize=8.5, loc="left")
