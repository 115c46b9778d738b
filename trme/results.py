# SPDX-License-Identifier: Apache-2.0
"""What was measured, as the files of docs/results/ keep it, and whether that is what was asked for."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.report import CriticalPath
from toolchain.errors import BadInput
from trme.measurements import Measurement

__all__ = ["Naive", "Outcome", "Row", "read_rows"]


@dataclass(frozen=True)
class Naive:
    """The naive form of a unit: what it computes, its median Fmax, and how many times faster the unit is."""

    text: str
    median_mhz: float | None
    times: float | None
    core: dict[str, int] | None
    failure: str | None


@dataclass(frozen=True)
class Outcome:
    """A result file.

    Parameters
    ----------
    command, date : str
        What measured it, and when.
    failure : str or None
        Why there is no figure.
    fmax_mhz : tuple of float
        Of every seed that came to an end, sorted.
    n_seeds : int
        How many were tried.
    median_mhz : float or None
    core : dict of str to int
        LUT, FF, DSP, BRAM.
    """

    command: str
    date: str
    failure: str | None
    fmax_mhz: tuple[float, ...] = ()
    n_seeds: int = 0
    median_mhz: float | None = None
    core: dict[str, int] | None = None
    latency_cycles: int | None = None
    initiation_interval_cycles: int | None = None
    clock_limit_mhz: float | None = None
    clock_limit_source: str = ""
    caveat: str | None = None
    critical_path: CriticalPath | None = None
    naive: Naive | None = None
    tool_versions: dict[str, str] | None = None
    verilog_sha256: str = ""

    @property
    def n_failed(self) -> int:
        """Seeds without a figure."""
        return self.n_seeds - len(self.fmax_mhz)

    @classmethod
    def read(cls, path: Path) -> "Outcome | None":
        """Read a result; None if there is none.

        Raises
        ------
        BadInput
            If the file cannot be read, or is damaged or of another form.
        """
        again = f"measure it again: trme report --measure --only {path.stem}"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error
        except ValueError as error:
            raise BadInput(f"{path} is damaged ({error}): {again}") from error
        try:
            return cls._from_json(value)
        except KeyError as error:
            raise BadInput(f"{path} lacks {error}, perhaps because an older trme wrote it: {again}") from error
        except (TypeError, AttributeError) as error:
            raise BadInput(f"{path} has not the form of a result ({error}): {again}") from error

    @classmethod
    def _from_json(cls, value: dict[str, Any]) -> "Outcome":
        command, date, failure = value["command"], value["date"], value["failure"]
        if failure is not None:
            return cls(command, date, failure)
        found = [seed for seed in value["seeds"] if seed["strategy"] == value["strategy"]]
        return cls(
            command, date, None,
            tuple(sorted(seed["fmax_mhz"] for seed in found if seed["fmax_mhz"] is not None)), len(found),
            value["fmax_mhz"]["median"], value["core"], value["latency_cycles"], value["initiation_interval_cycles"],
            value["device_clock_limit_mhz"], value["device_clock_limit_source"], value["caveat"],
            _path(value["critical_path"]), _naive(value.get("baseline")), value["tool_versions"],
            value["verilog_sha256"],
        )  # fmt: skip


def _path(value: dict[str, Any] | None) -> CriticalPath | None:
    if value is None:
        return None
    return CriticalPath(value["from"], value["to"], value["through"], value["logic_ns"], value["routing_ns"])


def _naive(value: dict[str, Any] | None) -> Naive | None:
    if value is None:
        return None
    median = value["fmax_mhz"]["median"] if value["fmax_mhz"] else None
    return Naive(value["text"], median, value["times"], value["core"], value["failure"])


@dataclass(frozen=True)
class Row:
    """A measurement and what it found, None if it has not been measured."""

    measurement: Measurement
    outcome: Outcome | None

    def is_done(self, verilog_sha256: str) -> bool:
        """Whether there is a figure, found by the measurement as it is now, of this Verilog."""
        found = self.outcome
        return found is not None and found.failure is None and not self.remark and found.verilog_sha256 == verilog_sha256

    @property
    def has_figure(self) -> bool:
        """Whether there is something to show."""
        return self.outcome is not None and self.outcome.median_mhz is not None

    @property
    def remark(self) -> str:
        """How the measurement was another one than is asked for now; empty if it was not."""
        if self.outcome is None or self.outcome.command == self.measurement.command():
            return ""
        n_seeds = self.outcome.n_seeds
        if n_seeds and self.outcome.command == self.measurement.command(n_seeds):
            return f"{n_seeds} of {self.measurement.seeds} seeds"
        return "measured by another command than is listed now"

    @property
    def misses(self) -> list[str]:
        """What it should have reached and did not, each in words."""
        if self.outcome is None:
            return []
        if self.outcome.median_mhz is None:
            return [self.outcome.failure or "no figure"]
        wanted, found = self.measurement, self.outcome
        missed = []
        if wanted.median and self.outcome.median_mhz < wanted.median:
            missed.append(f"the median is {self.outcome.median_mhz:.1f} MHz and should be {wanted.median:g}")
        if wanted.lowest and found.fmax_mhz[0] <= wanted.lowest:
            missed.append(f"the slowest seed has {found.fmax_mhz[0]:.1f} MHz and should have more than {wanted.lowest:g}")
        if found.n_failed:
            missed.append(f"{found.n_failed} of {found.n_seeds} seeds have no figure")
        if found.naive and found.naive.failure:
            missed.append(f"the naive {found.naive.text} has no figure: {found.naive.failure}")
        return missed

    @property
    def verdict(self) -> str:
        """One word or two: empty if nothing was asked."""
        if self.outcome is None:
            return "not measured"
        if self.outcome.median_mhz is None:
            return "FAILED"
        if self.misses:
            return "MISSED"
        if self.remark:
            return "provisional"
        return "met" if self.measurement.median or self.measurement.lowest else ""


def read_rows(measurements: tuple[Measurement, ...], folder: Path) -> dict[str, Row]:
    """Each measurement with its result, by name; raises BadInput if a file cannot be used."""
    return {row.name: Row(row, Outcome.read(folder / f"{row.name}.json")) for row in measurements}
