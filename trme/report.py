# SPDX-License-Identifier: Apache-2.0
"""The results tables of README.md and docs/results.md, as text."""

import textwrap
from collections.abc import Callable, Iterable, Sequence

from synth.devices import RESOURCES
from trme.markdown import markdown_table
from trme.measurements import Group, Headline, Plan
from trme.results import Outcome, Row

__all__ = ["CAUTION", "page", "summary"]

Say = Callable[[Row], str]
_ABSENT = "-"
_WIDTH = 124
CAUTION = "\u2020"
"""A dagger: behind the name of a device whose figures are to be taken with care."""


def page(plan: Plan, rows: dict[str, Row]) -> str:
    """Everything: a section for each group of measurements."""
    return "\n\n".join(_section(group, [rows[row.name] for row in group.rows]) for group in plan.groups)


def summary(plan: Plan, rows: dict[str, Row]) -> str:
    """The headlines, and what must be known with them."""
    lines = [(line, [rows[name] for name in line.rows]) for line in plan.headlines]
    lines = [(line, mine) for line, mine in lines if any(row.outcome for row in mine)]
    if not lines:
        return "Nothing has been measured yet: `trme report --measure`."
    head = ["synthesised", "device", "seeds", "median Fmax (slowest seed), MHz", "asked", "times naive", "latency", *RESOURCES]
    table = markdown_table(head, [_headline(line, mine) for line, mine in lines])
    return "\n\n".join([table, *_notes([row for _, mine in lines for row in mine if row.outcome])])


def _section(group: Group, rows: Sequence[Row]) -> str:
    measured = [row for row in rows if row.outcome]
    missing = [f"`{row.measurement.name}`" for row in rows if not row.outcome]
    parts = [f"## {group.title}"]
    if measured:
        common, differing = _split_settings(measured)
        parts += [_wrapped(", ".join([*common, *_tools(measured), *_dates(measured)]) + "."), _table(measured, differing)]
        parts += _notes(measured)
        parts.append("\n".join(f"    {row.outcome.command}" for row in measured if row.outcome))
    if missing:
        parts.append(_wrapped(f"Not measured: {', '.join(missing)}."))
    return "\n\n".join(parts)


def _headline(line: Headline, rows: Sequence[Row]) -> list[str]:
    figures = _found(lambda found: f"{found.median_mhz:.1f} ({found.fmax_mhz[0]:.1f})")
    cells = (_device, _seeds, figures, _asked_and_verdict, _found(_times), _found(_latency), *map(_resource, RESOURCES))
    return [line.what, *(_joined(say(row) for row in rows) for say in cells)]


def _joined(cells: Iterable[str]) -> str:
    """One cell of several, once if all are the same."""
    found = list(cells)
    return found[0] if len(set(found)) == 1 else "; ".join(found)


def _split_settings(rows: Sequence[Row]) -> tuple[list[str], dict[str, Say]]:
    """How all rows were measured, in words, and columns for what differs."""
    common, differing = [], {}
    for name, (say, words) in _SETTINGS.items():
        values = {say(row) for row in rows}
        if len(values) > 1:
            differing[name] = say
        elif text := words(values.pop()):
            common.append(text)
    return common, differing


def _table(rows: Sequence[Row], settings: dict[str, Say]) -> str:
    columns = {"unit": lambda row: row.measurement.label, **settings, **_FIGURES}
    columns = {name: say for name, say in columns.items() if any(say(row) not in ("", "0") for row in rows)}
    cells = [[say(row) for say in columns.values()] for row in rows]
    return markdown_table(list(columns), cells, right=columns.keys() - _TEXT)


def _found(say: Callable[[Outcome], str]) -> Say:
    """A cell that needs a figure."""
    return lambda row: say(row.outcome) if row.outcome and row.has_figure else _ABSENT


def _device(row: Row) -> str:
    careful = row.outcome is not None and row.outcome.caveat
    return f"{row.measurement.device} {CAUTION}" if careful else row.measurement.device


def _seeds(row: Row) -> str:
    return str(row.outcome.n_seeds if row.outcome and row.has_figure else row.measurement.seeds)


def _asked(row: Row) -> str:
    """As the figures are shown: of the median, and in brackets of the slowest seed."""
    wanted = row.measurement
    lowest = f"({wanted.lowest:g})" if wanted.lowest else ""
    return " ".join(filter(None, [f"{wanted.median:g}" if wanted.median else "", lowest]))


def _asked_and_verdict(row: Row) -> str:
    return " ".join(filter(None, [_asked(row), row.verdict]))


def _latency(found: Outcome) -> str:
    return str(found.latency_cycles)


def _interval(found: Outcome) -> str:
    return str(found.initiation_interval_cycles)


def _naive(found: Outcome) -> str:
    return f"{found.naive.median_mhz:.1f}" if found.naive and found.naive.median_mhz else ""


def _times(found: Outcome) -> str:
    return f"{found.naive.times:.1f}" if found.naive and found.naive.times else ""


def _path(found: Outcome) -> str:
    path = found.critical_path
    return f"{path.logic_ns:.2f} + {path.routing_ns:.2f}" if path else _ABSENT


def _resource(name: str) -> Say:
    return _found(lambda found: str((found.core or {})[name]))


_SETTINGS: dict[str, tuple[Say, Callable[[str], str]]] = {
    "device": (_device, str),
    "copies": (lambda row: str(row.measurement.copies), lambda value: "" if value == "1" else f"{value} copies"),
    "core": (lambda row: "with streams" if row.measurement.streams else "free-running", str),
    "seeds": (_seeds, lambda value: f"{value} seed{'s' if value != '1' else ''}"),
    "interval": (_found(_interval), lambda value: f"initiation interval {value}"),
    "strategy": (lambda row: row.measurement.strategy, lambda value: f"strategy {value}"),
    "aim": (lambda row: f"{row.measurement.freq:g}" if row.measurement.freq else "", lambda v: f"--freq {v}" if v else ""),
}
"""A column where they differ, and words where they do not."""
_FIGURES: dict[str, Say] = {
    "latency": _found(_latency),
    "min MHz": _found(lambda found: f"{found.fmax_mhz[0]:.1f}"),
    "median MHz": _found(lambda found: f"{found.median_mhz:.1f}"),
    "max MHz": _found(lambda found: f"{found.fmax_mhz[-1]:.1f}"),
    "asked": _asked,
    "verdict": lambda row: row.verdict,
    "naive MHz": _found(_naive),
    "times naive": _found(_times),
    **{name: _resource(name) for name in RESOURCES},
    "logic + routing ns": _found(_path),
}
_TEXT = {"unit", "device", "core", "strategy", "asked", "verdict"}
"""Columns that are not numbers."""


def _tools(rows: Iterable[Row]) -> list[str]:
    versions = [(row.outcome and row.outcome.tool_versions) or {} for row in rows]
    return list(dict.fromkeys(
        f"{name} {version.split(',')[0]}" for found in versions for name, version in found.items()
        if name == "yosys" or name.startswith("nextpnr")
    ))  # fmt: skip


def _dates(rows: Iterable[Row]) -> list[str]:
    dates = sorted({row.outcome.date for row in rows if row.outcome})
    return [dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"]


def _notes(rows: Sequence[Row]) -> list[str]:
    """What must be known with the figures, as one list; nothing if there is nothing."""
    notes = [*_naive_forms(rows), *_limits(rows), *_caveats(rows), *_troubles(rows), *_remarks(rows)]
    return ["\n".join(_wrapped(f"- {note}", "  ") for note in dict.fromkeys(notes))] if notes else []


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def _gathered(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each second of the pairs its firsts, with commas."""
    found: dict[str, dict[str, None]] = {}
    for first, second in pairs:
        found.setdefault(second, {})[first] = None
    return {second: ", ".join(firsts) for second, firsts in found.items()}


def _naive_forms(rows: Iterable[Row]) -> list[str]:
    notes = []
    for naive in (row.outcome.naive for row in rows if row.outcome and row.outcome.naive):
        if naive.median_mhz:
            area = [f"{number} {name}" for name, number in (naive.core or {}).items() if number]
            notes.append(f"`{naive.text}`, {naive.median_mhz:.1f} MHz, {', '.join(area)}")
    return [f"Naive: {'; '.join(dict.fromkeys(notes))}."] if notes else []


def _limits(rows: Iterable[Row]) -> list[str]:
    """The clock limits of devices on which something is faster than that."""
    above = _gathered(
        (f"{_device(row)} {row.outcome.clock_limit_mhz:g} MHz", row.outcome.clock_limit_source) for row in rows
        if row.outcome and row.outcome.median_mhz and row.outcome.clock_limit_mhz
        and row.outcome.median_mhz > row.outcome.clock_limit_mhz
    )  # fmt: skip
    return [
        f"Above the clock network's limit Fmax says how fast the logic is, not what a board runs at: {limits} ({source})."
        for source, limits in above.items()
    ]


def _caveats(rows: Iterable[Row]) -> list[str]:
    caveats = _gathered((row.measurement.device, row.outcome.caveat) for row in rows if row.outcome and row.outcome.caveat)
    return [f"{CAUTION} {devices}: {caveat}." for caveat, devices in caveats.items()]


def _troubles(rows: Iterable[Row]) -> list[str]:
    """What was missed or failed, and where the critical path is."""
    notes = []
    for row in rows:
        if row.misses:
            path = row.outcome.critical_path if row.outcome else None
            where = f"; critical path {path.in_words()}" if path else ""
            notes.append(f"{row.verdict} `{row.measurement.name}`: {'; '.join(row.misses)}{where}.")
    return notes


def _remarks(rows: Iterable[Row]) -> list[str]:
    remarks = _gathered((f"`{row.measurement.name}`", row.remark) for row in rows if row.remark)
    return [f"Provisional, {remark}: {names}." for remark, names in remarks.items()]
