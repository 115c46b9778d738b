# SPDX-License-Identifier: Apache-2.0
"""One order to the synthesis flow: a design, a device, and how hard to try."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hdl.manifest import Emission
from synth import flow
from synth.devices import RESOURCES, Device
from synth.errors import NoRegisterPath, TooLarge, Vanished
from synth.place import as_json as attempt_as_json
from trme.design import Design

__all__ = ["Order", "baseline_in_words"]


@dataclass(frozen=True)
class Order:
    """What ``trme synth`` is asked for.

    Parameters
    ----------
    design : Design
    device : Device
    target_mhz : float or None
    n_seeds, seed : int
        Place and route with the seeds ``seed + 1`` to ``seed + n_seeds``.
    strategies : tuple of str
    streams : bool
        The unit with its stream wrapper.
    copies : int
    native : bool
        Yosys and nextpnr from PATH.
    """

    design: Design
    device: Device
    target_mhz: float | None = None
    n_seeds: int = 4
    seed: int = 0
    strategies: tuple[str, ...] = ("default",)
    streams: bool = False
    copies: int = 1
    native: bool = False

    @property
    def n_runs(self) -> int:
        """How often nextpnr runs."""
        return self.n_seeds * len(self.strategies)

    @property
    def emission(self) -> Emission:
        """What is measured."""
        return self.design.emit(free_running=not self.streams)

    def place(self, jobs: int | None = None, progress: Callable[[int], None] = lambda done: None) -> flow.Result:
        """Timing and area; raises as `synth.flow.run`."""
        return self._run(self.emission, jobs, progress)

    def place_baseline(self, found: flow.Result, jobs: int | None = None) -> dict[str, Any]:
        """Timing and area of the unit's naive form, measured in the same way, for programs.

        Parameters
        ----------
        found : flow.Result
            Of the unit itself.

        Returns
        -------
        dict
            ``text``, ``latency_cycles``, ``fmax_mhz``, ``core``, ``seeds``; ``times`` is the unit's median over the naive one.
            ``failure`` is a sentence if there is no figure, and None else.

        Raises
        ------
        BadInput
            If the unit has no naive form.
        ToolMissing, ToolFailed
            If a tool is not there or crashes.
        """
        baseline = self.design.baseline()
        made: dict[str, Any] = {
            "text": baseline.text, "latency_cycles": baseline.emission.manifest.latency_cycles,
            "fmax_mhz": None, "times": None, "core": None, "seeds": [], "failure": None,
        }  # fmt: skip
        try:
            naive = self._run(baseline.emission, jobs, lambda done: None)
        except (TooLarge, NoRegisterPath, Vanished) as error:
            return made | {"failure": str(error)}
        made |= {"core": naive.netlist.core, "seeds": [attempt_as_json(attempt) for attempt in naive.attempts]}
        summary, own = naive.summary(), found.summary()
        if summary is None:
            return made | {"failure": str(naive.failure)}
        made["fmax_mhz"] = {"min": summary.min, "median": summary.median, "max": summary.max}
        return made | {"times": own.median / summary.median if own else None}

    def _run(self, emission: Emission, jobs: int | None, progress: Callable[[int], None]) -> flow.Result:
        return flow.run(
            emission, self.device, target_mhz=self.target_mhz, seeds=range(self.seed + 1, self.seed + 1 + self.n_seeds),
            strategies=self.strategies, copies=self.copies, jobs=jobs, native=self.native, progress=progress,
        )  # fmt: skip


def baseline_in_words(found: dict[str, Any]) -> str:
    """One line about what `Order.place_baseline` found."""
    if found["failure"]:
        return f"the naive {found['text']} has no figure: {found['failure']}"
    area = ", ".join(f"{found['core'][name]} {name}" for name in RESOURCES if found["core"][name])
    times = f"{found['times']:.1f} times " if found["times"] else ""
    return f"{times}the naive {found['text']}, {found['fmax_mhz']['median']:.1f} MHz, {area}, latency {found['latency_cycles']}"
