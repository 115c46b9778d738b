# SPDX-License-Identifier: Apache-2.0
"""Carries a measurement of docs/results/ out, and keeps what came of it."""

import datetime
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from synth.devices import DEVICES, find_device
from synth.flow import check_strategy
from toolchain.errors import BadInput, ToolMissing, TrmeError
from trme import synthesis
from trme.catalog import UNITS, find
from trme.design import Design
from trme.files import write_whole
from trme.measurements import Measurement
from trme.order import Order
from trme.progress import Progress

__all__ = ["measure", "order", "unavailable"]


def unavailable(row: Measurement) -> str | None:
    """Why a measurement asks for something that there is not (yet), in a sentence; None if all is there."""
    if row.unit not in [unit.name for unit in UNITS]:
        return f"there is no unit {row.unit!r}"
    if row.device not in [device.name for device in DEVICES]:
        return f"there is no device {row.device!r}"
    known = [field.name for field in fields(find(row.unit).load("parameters"))]
    missing = [name for name in row.parameters if name not in known]
    if missing:
        return f"{row.unit} has no parameter {missing[0]!r}"
    if row.baseline and not find(row.unit).baseline:
        return f"{row.unit} has no naive form"
    return None


def order(row: Measurement, seeds: int | None = None, seed: int = 0) -> Order:
    """What the flow is asked.

    Raises
    ------
    BadInput
        If a parameter or the strategy cannot be used.
    """
    unit = find(row.unit)
    try:
        design = Design(unit, unit.load("parameters")(**row.parameters))
    except (TypeError, ValueError) as error:
        raise BadInput(f"the measurement {row.name} is of no unit that there can be: {error}") from error
    strategies = (check_strategy(row.strategy),)
    return Order(
        design, find_device(row.device), row.freq, seeds or row.seeds, seed, strategies, row.streams, row.copies
    )  # fmt: skip


def measure(row: Measurement, asked: Order, folder: Path, jobs: int | None = None) -> None:
    """Measure, and write ``NAME.json`` when that is done; a failure of the design or of a tool is written as a sentence.

    Parameters
    ----------
    asked : Order
        That of the row.

    Raises
    ------
    BadInput
        If the file cannot be written.
    ToolMissing
        If a tool is not there.
    """
    head = {"command": row.command(asked.n_seeds, asked.seed), "date": datetime.date.today().isoformat()}
    try:
        found = head | _found(row, asked, jobs)
    except ToolMissing:
        raise
    except TrmeError as error:
        found = head | {"failure": str(error)}
    text = json.dumps(found, indent=2) + "\n"
    path = folder / f"{row.name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda partial: partial.write_text(text, encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from error


def _found(row: Measurement, asked: Order, jobs: int | None) -> dict[str, Any]:
    with Progress("runs", asked.n_runs) as progress:
        result = asked.place(jobs, progress.update)
    manifest = asked.emission.manifest
    found = synthesis.as_json(
        result, asked.design, manifest, streams=row.streams, copies=row.copies, seed=asked.seed
    )  # fmt: skip
    if row.baseline:
        found["baseline"] = asked.place_baseline(result, jobs)
    return {"failure": str(result.failure) if result.failure else None} | found
