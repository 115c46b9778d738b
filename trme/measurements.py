# SPDX-License-Identifier: Apache-2.0
"""The measurements behind the results tables, as docs/results/measurements.toml lists them."""

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.errors import BadInput

__all__ = ["Group", "Headline", "Measurement", "Plan"]

_OPTIONS: dict[str, tuple[type | tuple[type, ...], Any]] = {
    "device": (str, "ecp5-25k-8"), "strategy": (str, "default"), "freq": ((int, float), None), "seeds": (int, 4),
    "streams": (bool, False), "copies": (int, 1), "baseline": (bool, False),
    "median": ((int, float), None), "lowest": ((int, float), None),
}  # fmt: skip
"""Keys that are no parameters of a unit: type and default."""


@dataclass(frozen=True)
class Measurement:
    """One row: a call of ``trme synth``, and what it should reach.

    Parameters
    ----------
    name : str
        Of its result, NAME.json.
    unit : str
    parameters : dict
        Those of the unit that are not left at their defaults.
    device, strategy, freq, seeds, streams, copies, baseline
        As the options of ``trme synth``.
    median, lowest : float or None
        The least that the median and the slowest seed have to reach in MHz.
    """

    name: str
    unit: str
    parameters: dict[str, int | str | bool]
    device: str
    strategy: str
    freq: float | None
    seeds: int
    streams: bool
    copies: int
    baseline: bool
    median: float | None
    lowest: float | None

    def command(self, seeds: int | None = None, seed: int = 0) -> str:
        """The command line that measures it, with ``seeds`` in place of its own number of seeds."""
        words = ["trme", "synth", self.unit]
        for name, value in self.parameters.items():
            if value is not False:
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        words += ["--device", self.device, "--seeds", str(seeds or self.seeds), "--strategy", self.strategy]
        words += ["--freq", f"{self.freq:g}"] if self.freq else []
        words += ["--copies", str(self.copies)] if self.copies > 1 else []
        words += ["--seed", str(seed)] if seed else []
        words += [f"--{name}" for name in ("streams", "baseline") if getattr(self, name)]
        return shlex.join(words)

    @property
    def label(self) -> str:
        """Unit and parameters in few words."""
        values = {name: value for name, value in self.parameters.items() if value is not False}
        return " ".join([self.unit, *(name if value is True else f"{name}={value}" for name, value in values.items())])


@dataclass(frozen=True)
class Group:
    """Measurements that are shown in one table."""

    title: str
    rows: tuple[Measurement, ...]


@dataclass(frozen=True)
class Headline:
    """A line of the short table: what it shows, and of which measurements."""

    what: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """All measurements, in the order in which they are shown."""

    groups: tuple[Group, ...]
    headlines: tuple[Headline, ...]

    @property
    def rows(self) -> tuple[Measurement, ...]:
        """Those of all groups."""
        return tuple(row for group in self.groups for row in group.rows)

    @classmethod
    def read(cls, path: Path) -> "Plan":
        """Read the table of measurements.

        Raises
        ------
        BadInput
            If it is not there, or is not what it should be.
        """
        try:
            value = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(f"cannot read the measurements in {path}: {error.strerror}") from error
        except ValueError as error:
            raise BadInput(f"{path} is not TOML: {error}") from error
        try:
            groups = tuple(_group(group, path) for group in value["group"])
            headlines = tuple(Headline(line["what"], tuple(line["rows"])) for line in value.get("headline", []))
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"{path} has not the form that it should have at {error}: see its first lines") from error
        names = [row.name for group in groups for row in group.rows]
        if not names:
            raise BadInput(f"{path} lists no measurement: give a group some rows")
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"{path} has two measurements called {name!r}: give one of them another name")
        for line in headlines:
            for name in line.rows:
                if name not in names:
                    raise BadInput(f"{path} has a headline of {name!r}, and no such measurement: correct the name")
        return cls(groups, headlines)


def _group(value: dict[str, Any], path: Path) -> Group:
    rows = value["rows"]
    common = {name: setting for name, setting in value.items() if name not in ("title", "rows")}
    return Group(value["title"], tuple(_measurement(name, common | row, path) for name, row in rows.items()))


def _measurement(name: str, value: dict[str, Any], path: Path) -> Measurement:
    options = {}
    for option, (kind, default) in _OPTIONS.items():
        options[option] = value.get(option, default)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if option in value and type(value[option]) not in kinds:
            wanted = " or ".join(k.__name__ for k in kinds)
            raise BadInput(f"{path}: {option} of {name} must be {wanted}, not {value[option]!r}")
    unit = value["unit"]
    return Measurement(name, unit, {k: v for k, v in value.items() if k not in _OPTIONS and k != "unit"}, **options)
