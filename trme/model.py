# SPDX-License-Identifier: Apache-2.0
"""Fitted models of a unit on a family of devices, as a small file, and what they say: plain NumPy, in milliseconds."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from toolchain.errors import BadInput
from trme.files import write_whole
from trme.formula import Linear, Trees

__all__ = ["MODELS", "TARGETS", "Estimate", "Model", "Part", "Target", "model_path"]

MODELS = Path(__file__).with_name("estimates")
"""Where the models are that come with the workbench."""

TARGETS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "BRAM", "fmax_median_mhz": "Fmax"}
"""Columns of a sweep's points that are estimated, and what people call them."""


_KINDS = {"linear": Linear, "trees": Trees}


@dataclass(frozen=True)
class Target:
    """What is known of one column.

    Parameters
    ----------
    formula : Linear or Trees
    low, high : float
        Factors from an estimate (and one more) to what was measured (and one more), for points that were held out: a tenth
        of them was below the first, a tenth above the second.
    median_error, worst_error : float
        Relative to what was measured, of points held out: half of them and nine tenths of them were nearer.
    """

    formula: Linear | Trees
    low: float
    high: float
    median_error: float
    worst_error: float


@dataclass(frozen=True)
class Estimate:
    """An estimate, and between what eight of ten measurements would lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Part:
    """A model of points that agree in all words: their ranges, and what was fitted to them.

    Parameters
    ----------
    words : dict of str to str
    ranges : dict of str to list of int
        The smallest and largest of each size.
    n_points, n_seeds : int
        Different configurations, and seeds behind each Fmax, the fewest; 0 if Fmax was not measured.
    tool_versions : dict of str to str
    sources : str
        Hash of the unit's generator when the sweep was made.
    commands : list of str
        The sweeps.
    targets : dict of str to Target
        By column.
    """

    words: dict[str, str]
    ranges: dict[str, list[int]]
    n_points: int
    n_seeds: int
    tool_versions: dict[str, str]
    sources: str
    commands: list[str]
    targets: dict[str, Target]

    def estimate(self, numbers: dict[str, float]) -> dict[str, Estimate]:
        """All targets; counts are whole, and nothing is below zero."""
        found = {}
        for column, target in self.targets.items():
            value = max(target.formula.predict(numbers), 0.0)
            ends = [max((value + 1) * factor - 1, 0.0) for factor in (target.low, target.high)]
            figures = [value, min(value, ends[0]), max(value, ends[1])]
            if column != "fmax_median_mhz":
                figures = [round(value), math.floor(figures[1] + 0.5), math.ceil(figures[2] - 0.5)]
            found[column] = Estimate(*figures)
        return found


@dataclass(frozen=True)
class Model:
    """A unit on a family of devices; no two parts have the same words."""

    unit: str
    family: str
    parts: list[Part]

    def renewed(self, newer: "Model") -> "Model":
        """With the parts of a newer fit in place of those that have the same words."""
        fresh = [part.words for part in newer.parts]
        return Model(self.unit, self.family, [*(part for part in self.parts if part.words not in fresh), *newer.parts])

    def part(self, words: dict[str, str], sizes: dict[str, int]) -> Part:
        """The part that a point lies in.

        Raises
        ------
        BadInput
            If it was not fitted there; the sentence has a sweep that would help.
        """
        help_text = f"'{self.sweep(words, sizes)}' and then 'trme estimate {self.unit} --fit FILE' would fit it there"
        for name, word in words.items():
            known = sorted({part.words.get(name, "") for part in self.parts})
            if word not in known:
                raise BadInput(f"the estimate of {self.unit} was fitted for {name} {', '.join(known)}, not {word}: {help_text}")
        part = next((part for part in self.parts if part.words == words), None)
        if part is None:
            together = " ".join(f"{name}={word}" for name, word in words.items())
            raise BadInput(f"the estimate of {self.unit} was fitted for each of {together}, but not together: {help_text}")
        for name, size in sizes.items():
            low, high = part.ranges[name]
            if not low <= size <= high:
                raise BadInput(
                    f"the estimate of {self.unit} was fitted for {name} from {low} to {high}, not {size}: {help_text}"
                )
        return part

    def sweep(self, words: dict[str, str], sizes: dict[str, int]) -> str:
        """A sweep that reaches a point, from where the nearest part begins."""
        nearest = max(self.parts, key=lambda part: sum(part.words.get(name) == word for name, word in words.items()))
        command = f"trme sweep {self.unit}"
        for name, word in words.items():
            if word != "false" and (name, word) != ("strategy", "default"):
                command += f" --{name.replace('_', '-')}" + ("" if word == "true" else f" {word}")
        for name, size in sizes.items():
            low, high = nearest.ranges.get(name, [size, size])
            low, high = min(low, size), max(high, size)
            step = max(1, (high - low) // 12)
            if high > low:
                command += f" --grid {name}={low}..{high}" + (f":{step}" if step > 1 else "")
        return command + " --json FILE"

    def to_json(self) -> str:
        """The file's text."""
        value = asdict(self)
        for part, mine in zip(value["parts"], self.parts, strict=True):
            for column, target in part["targets"].items():
                kind = type(mine.targets[column].formula)
                target["formula"]["kind"] = next(name for name, known in _KINDS.items() if known is kind)
        text = json.dumps(value, separators=(",", ":"))
        return text.replace('{"words"', '\n{"words"').replace('"targets"', '\n"targets"') + "\n"

    def write(self, path: Path) -> None:
        """Write it, whole or not at all.

        Raises
        ------
        BadInput
            If the file cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, lambda partial: partial.write_text(self.to_json(), encoding="utf-8"))
        except OSError as error:
            raise BadInput(f"cannot write {path}: {error.strerror}") from error

    @classmethod
    def read(cls, path: Path) -> "Model":
        """Read what `to_json` wrote.

        Raises
        ------
        BadInput
            If the file cannot be read, or is no model.
        """
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            return cls(**value | {"parts": [_part(part) for part in value["parts"]]})
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"{path} is not a fitted model: make it again with trme estimate --fit") from error


def _part(value: dict[str, Any]) -> Part:
    targets: Any = {}
    for column, target in value["targets"].items():
        formula = dict(target["formula"])
        targets[column] = Target(**{**target, "formula": _KINDS[formula.pop("kind")](**formula)})
    return Part(**{**value, "targets": targets})


def model_path(folder: Path, unit: str, family: str) -> Path:
    """The file of a model."""
    return folder / f"{unit}-{family}.json"
