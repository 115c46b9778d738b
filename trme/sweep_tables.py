# SPDX-License-Identifier: Apache-2.0
"""A sweep as tidy tables: a row per point, and a row per point and seed."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from toolchain.errors import BadInput
from trme.files import write_whole
from trme.pareto import pareto_front
from trme.point import MEASURES, Measure
from trme.sweep import Sweep

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "OPTIONS", "point_rows", "points_table", "seed_rows", "seeds_table", "write_table"]

OPTIONS = ("device", "strategy", "streams", "copies")
"""Columns beside those of the unit's parameters."""

_INTEGERS = {"point", "copies", "seed", "seeds", "seeds_failed", "lut", "ff", "dsp", "bram", "logic_levels",
             "latency_cycles", "initiation_interval_cycles"}  # fmt: skip
_FLOATS = {"target_mhz", "fmax_min_mhz", "fmax_median_mhz", "fmax_max_mhz", "share_met", "fmax_mhz", "wall_s"}


def point_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """A dict per point: its number, what it is, the columns of what was measured, ``pareto`` and ``failure``."""
    rows = []
    for n, (point, row) in enumerate(zip(sweep.points, sweep.rows, strict=True)):
        columns = [column for name in point.measures for column in MEASURES[name].columns]
        n_seeds = len(point.seeds) if any(MEASURES[name].needs_place for name in point.measures) else None
        rows.append(
            {"point": n, "unit": point.unit, **point.parameters, **{name: getattr(point, name) for name in OPTIONS}}
            | {"target_mhz": point.target_mhz, "seeds": n_seeds}
            | {column: row.get(column) for column in columns}
        )
    for row, is_best in zip(rows, pareto_front(_costs(sweep)), strict=True):
        row["pareto"] = bool(is_best)
    for row, found in zip(rows, sweep.rows, strict=True):
        row["failure"] = found["failure"]
    return rows


def _costs(sweep: Sweep) -> np.ndarray:
    """What the Pareto front compares, less being better; NaN where nothing was measured."""
    measures = [MEASURES[name] for name in sweep.points[0].measures]
    return np.array([[_cost(row, item) for item in measures] for row in sweep.rows], float)


def _cost(row: dict[str, Any], item: Measure) -> float:
    value = row.get(item.columns[0])
    if row["failure"] or value is None:
        return math.nan
    return -value if item.is_larger_better else value


def seed_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """A dict per point and seed."""
    return [
        {"point": n, "unit": point.unit, **point.parameters, **{name: getattr(point, name) for name in OPTIONS}}
        | {name: attempt[name] for name in ("seed", "fmax_mhz", "wall_s", "failure")}
        for n, (point, row) in enumerate(zip(sweep.points, sweep.rows, strict=True))
        for attempt in row["attempts"]
    ]


def points_table(sweep: Sweep) -> "pd.DataFrame":
    """`point_rows` as a table whose columns have one type each."""
    return _table(point_rows(sweep))


def seeds_table(sweep: Sweep) -> "pd.DataFrame":
    """`seed_rows` likewise; empty if no place and route was asked for."""
    return _table(seed_rows(sweep))


def _table(rows: list[dict[str, Any]]) -> "pd.DataFrame":
    import pandas as pd

    table = pd.DataFrame(rows)
    for name in table.columns:
        values = [row[name] for row in rows]
        if name in _FLOATS:
            kind = "float64"
        elif name in _INTEGERS or all(type(value) is int for value in values):
            kind = "Int64"  # with room for "not measured"
        elif all(isinstance(value, bool) for value in values):
            kind = "bool"
        else:
            kind = "string"
        table[name] = pd.array(values, dtype=kind) if kind != "float64" else np.array(values, float)
    return table


def _csv(table: "pd.DataFrame", path: Path) -> None:
    table.to_csv(path, index=False)


def _parquet(table: "pd.DataFrame", path: Path) -> None:
    table.to_parquet(path, index=False)


FORMATS: dict[str, Callable[["pd.DataFrame", Path], None]] = {"csv": _csv, "parquet": _parquet}
"""What can be written, by the end of the file's name."""


def write_table(table: "pd.DataFrame", folder: Path, name: str, form: str) -> Path:
    """Write a table, whole or not at all; returns the file.

    Raises
    ------
    BadInput
        If it cannot be written.
    """
    path = folder / f"{name}.{form}"
    try:
        write_whole(path, lambda partial: FORMATS[form](table, partial))
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error
    return path
