# SPDX-License-Identifier: Apache-2.0
"""The catalogue: one entry per unit, and with it generate, sim and compare. Imports nothing heavy until a unit is used."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["UNITS", "Unit", "find"]

_PACKAGES = {
    "parameters": "golden", "model": "golden", "component": "hdl", "stimuli": "trme.stimuli", "baseline": "trme.baselines",
}  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """A unit and the names of its parts.

    Parameters
    ----------
    name : str
        As on the command line.
    family : str
        The noun that names its files: golden/FAMILY.py, hdl/FAMILY.py, trme/stimuli/FAMILY.py, docs/FAMILY.md,
        sim_tests/test_FAMILY.py and sim_tests/bench_FAMILY.py.
    summary : str
        One sentence.
    parameters : str
        In golden/: a `golden.parameters.Parameters`.
    model : str
        In golden/: function of the parameters and the transfers on ``i``; returns the transfers on ``o``.
    component : str
        In hdl/: made from the parameters; a `hdl.stream.FreeRunning`, or a component that has its final ports already.
    stimuli : str
        In trme/stimuli/: a `trme.stimuli.Stimuli`.
    configurations : tuple of dict
        Parameters that ``trme sim`` tries.
    baseline : str
        In trme/baselines/: function of the parameters and the manifest of the free-running core; returns the naive form, a
        `trme.baselines.Baseline`. Empty if there is none.
    """

    name: str
    family: str
    summary: str
    parameters: str
    model: str
    component: str
    stimuli: str
    configurations: tuple[dict[str, int | str | bool], ...]
    baseline: str = ""

    def load(self, part: str) -> Any:
        """Import one of the parts: ``"parameters"``, ``"model"``, ``"component"``, ``"stimuli"`` or ``"baseline"``."""
        return getattr(import_module(f"{_PACKAGES[part]}.{self.family}"), getattr(self, part))


UNITS = (
    Unit(
        "modmul", "modular", "Product of two residues modulo m, by Barrett reduction or folding.",
        "ModMulParams", "modmul_model", "ModMul", "ModMulStimuli",
        (
            {"modulus": 251}, {"modulus": 253, "method": "classic"}, {"modulus": 129, "method": "fold"},
            {"modulus": 255, "method": "fold", "no_dsp": True}, {"modulus": 256}, {"modulus": 2},
        ),
        "naive_modmul",
    ),
    Unit(
        "systolic", "systolic", "Output-stationary systolic array over a semiring.",
        "SystolicParams", "systolic_model", "Systolic", "SystolicStimuli",
        (
            {"rows": 4, "cols": 4}, {"rows": 3, "cols": 5, "semiring": "max-plus", "width": 9},
            {"rows": 5, "cols": 2, "semiring": "plus-times", "width": 8, "depth": 64}, {"rows": 1, "cols": 1},
            {"rows": 2, "cols": 3, "pe": "compact"},
        ),
        "naive_systolic",
    ),
)  # fmt: skip


def find(name: str) -> Unit:
    """The unit of that name; KeyError if there is none."""
    return {unit.name: unit for unit in UNITS}[name]
