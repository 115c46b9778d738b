# SPDX-License-Identifier: Apache-2.0
"""Timing and area of a unit on a device, over seeds and strategies."""

import os
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from hdl.manifest import Emission
from synth.devices import RESOURCES, Device
from synth.errors import TooLarge
from synth.netlist import Netlist, synthesise
from synth.place import Attempt, place_and_route
from synth.report import CriticalPath, Usage
from toolchain.eda import Program, find_program
from toolchain.errors import BadInput, TrmeError
from toolchain.process import Programs
from toolchain.store import Store

__all__ = ["STRATEGIES", "Result", "Strategy", "Summary", "run"]


@dataclass(frozen=True)
class Strategy:
    """How hard nextpnr tries: ``options`` are its own."""

    text: str
    options: tuple[str, ...] = ()


STRATEGIES = {
    "default": Strategy("the tools' own choice"),
    "ripup": Strategy("the router rips up nets of critical paths and tries again", options=("--tmg-ripup",)),
    "eager": Strategy(
        "the placer gives timing three times the weight, and the router rips up",
        options=("--placer-heap-timingweight", "30", "--tmg-ripup"),
    ),
}
"""By name on the command line; the first is the default."""


@dataclass(frozen=True)
class Summary:
    """Fmax over seeds: ``share_met`` of them reached the target, failures counting as not."""

    min: float
    median: float
    max: float
    share_met: float


@dataclass(frozen=True)
class Result:
    """Timing and area.

    Parameters
    ----------
    device : Device
    target_mhz : float or None
        None if nothing was asked for.
    netlist : Netlist
    attempts : tuple of Attempt
        Sorted by strategy, then seed.
    tools : tuple of Program
    """

    device: Device
    target_mhz: float | None
    netlist: Netlist
    attempts: tuple[Attempt, ...]
    tools: tuple[Program, ...] = field(default=())

    def summary(self, strategy: str | None = None) -> Summary | None:
        """Fmax of a strategy, the best by default; None if all attempts failed."""
        strategy = strategy or self.best
        mine = [attempt for attempt in self.attempts if attempt.strategy == strategy]
        found = [attempt.fmax_mhz for attempt in mine if attempt.fmax_mhz is not None]
        if not found:
            return None
        n_met = sum(fmax >= (self.target_mhz or 0) for fmax in found)
        return Summary(min(found), statistics.median(found), max(found), n_met / len(mine))

    @property
    def strategies(self) -> tuple[str, ...]:
        """Those tried."""
        return tuple(dict.fromkeys(attempt.strategy for attempt in self.attempts))

    @property
    def best(self) -> str:
        """The strategy with the largest median."""
        medians = {}
        for name in self.strategies:
            found = [a.fmax_mhz for a in self.attempts if a.strategy == name and a.fmax_mhz is not None]
            medians[name] = statistics.median(found) if found else 0.0
        return max(medians, key=lambda name: medians[name])

    @property
    def met(self) -> bool | None:
        """Whether the median of the best strategy reaches the target and no seed failed; None if there is no target."""
        if self.target_mhz is None:
            return None
        summary = self.summary()
        mine = [attempt for attempt in self.attempts if attempt.strategy == self.best]
        return summary is not None and summary.median >= self.target_mhz and not any(attempt.failure for attempt in mine)

    @property
    def typical(self) -> Attempt | None:
        """The attempt of the best strategy that is nearest to its median from below."""
        mine = [a for a in self.attempts if a.strategy == self.best and a.fmax_mhz is not None]
        mine.sort(key=lambda attempt: attempt.fmax_mhz or 0)
        return mine[(len(mine) - 1) // 2] if mine else None

    @property
    def critical_path(self) -> CriticalPath | None:
        """Of the typical attempt."""
        return self.typical.report.critical_path if self.typical and self.typical.report else None

    @property
    def utilisation(self) -> dict[str, Usage]:
        """Of the typical attempt, the wrapper included, by nextpnr's cell names."""
        return self.typical.report.utilisation if self.typical and self.typical.report else {}

    @property
    def failure(self) -> TrmeError | None:
        """What went wrong, if it did in all attempts."""
        failures = [attempt.failure for attempt in self.attempts]
        return failures[0] if all(failures) else None


def run(
    emission: Emission,
    device: Device,
    *,
    target_mhz: float | None = None,
    seeds: Sequence[int] = (1,),
    strategies: Sequence[str] = ("default",),
    copies: int = 1,
    jobs: int | None = None,
    native: bool = False,
    store: Store | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Result:
    """Synthesise, place and route a unit; what was done before is taken from the store, and what is finished is kept there.

    Parameters
    ----------
    emission : Emission
        The unit's Verilog and manifest.
    target_mhz : float, optional
        Asked of nextpnr and of the result; without one nextpnr aims high and nothing is met or missed.
    strategies : sequence of str
        Keys of `STRATEGIES`.
    copies : int
        Instances side by side.
    jobs : int, optional
        Programs at a time; as many as there are cores by default.
    native : bool
        Take Yosys and nextpnr from PATH.
    progress : callable
        Told the number of attempts done.

    Raises
    ------
    TooLarge, Vanished, NoRegisterPath
        If the netlist shows already that it cannot be done.
    ToolMissing, ToolFailed
        If a tool is not there, crashes, or writes no usable report.
    """
    store = store or Store()
    tools = find_program("yosys", native), find_program(device.family.place_and_route, native)
    aim = target_mhz or device.aim_mhz
    with Programs() as programs, ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        netlist = synthesise(emission, device, tools[0], programs, store, copies=copies)
        check_room(netlist, device, emission.manifest.unit)

        def attempt(strategy: str, seed: int) -> Attempt:
            options = STRATEGIES[strategy].options
            return place_and_route(netlist, device, strategy, options, aim, seed, tools[1], programs, store)

        futures = [pool.submit(attempt, strategy, seed) for strategy in strategies for seed in seeds]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()  # the first that cannot go on ends all
                progress(done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            programs.end()
            raise
    return Result(device, target_mhz, netlist, tuple(future.result() for future in futures), tools)


def check_room(netlist: Netlist, device: Device, unit: str) -> None:
    """Refuse what needs more than the device has, before nextpnr tries."""
    for name in RESOURCES:
        used, available = netlist.core[name] + netlist.wrapper[name], device.capacity[name]
        if used > available:
            raise TooLarge(
                f"{unit} needs {used} {name} with its measuring wrapper, and {device.name} has {available}: take a larger "
                "device, or smaller parameters"
            )


def check_strategy(name: str) -> str:
    """The name itself, if there is such a strategy; raises BadInput if not."""
    if name not in STRATEGIES:
        raise BadInput(f"--strategy {name!r} is not known: {', '.join(STRATEGIES)}")
    return name
