# SPDX-License-Identifier: Apache-2.0
"""RTL against golden model, natively: the first difference and what made it."""

import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import cosim
from cosim.packing import differences
from hdl.manifest import Manifest
from toolchain.errors import BadInput
from toolchain.verilator import Library, Tools
from trme.design import CHUNK, Design, Sequence
from trme.shrink import shrink
from trme.waves import values_at

__all__ = ["Comparison", "Divergence", "Subject", "compare", "compare_transfers"]

_AROUND_CYCLES = 12
"""Waves begin so long before the transfer that makes a difference enters, and end so long after it shows."""


@dataclass(frozen=True)
class Subject:
    """What is compared with the golden model, if not what the design emits.

    Parameters
    ----------
    verilog : str
        Its text; the ports must be those of the design.
    more : dict of str to str
        More files by name, such as simulation models of cells.
    words : tuple of str
        The command line's words for it.
    manifest : Manifest, optional
        Its own, if it is not the one of the design with its streams: the free-running core has no ``ready``, and is then
        given only what it can take at its initiation interval.
    """

    verilog: str
    more: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    manifest: Manifest | None = None

    @property
    def is_free_running(self) -> bool:
        """Whether nothing can hold its input back."""
        return self.manifest is not None and all(stream.ready is None for stream in self.manifest.streams)


@dataclass(frozen=True)
class Divergence:
    """The first output that differs.

    Parameters
    ----------
    index : int
        Of the output transfer among all that were compared.
    cycle : int or None
        When it leaves the RTL if only the vectors of ``command`` run, and in the waves; None if it never does.
    vectors : tuple of int
        First and last index of the input vectors that make it.
    inputs, expected, actual
        Plain Python values; ``actual`` is None if nothing came.
    reason : str
        How it differs.
    command : str
        Reproduces it; empty if the vectors are in no file and of no seed.
    stages : dict of str to int
        What the unit's stages held.
    waves : str
        File of the waves around it, if there is one.
    shrunk : list
        The inputs of a short sequence that still fails, if asked for.
    """

    index: int
    cycle: int | None
    vectors: tuple[int, int]
    inputs: list
    expected: Any
    actual: Any
    reason: str
    command: str
    stages: dict[str, int] = field(default_factory=dict)
    waves: str = ""
    shrunk: list = field(default_factory=list)


@dataclass
class Comparison:
    """The outcome so far; ``vectors`` and ``outputs`` count what was compared."""

    build_s: float
    cache_hit: bool
    vectors: int = 0
    outputs: int = 0
    mismatches: int = 0
    cycles: int = 0
    run_s: float = 0.0
    first_divergence: Divergence | None = None

    @property
    def cycles_per_second(self) -> float:
        """Of the RTL alone."""
        return self.cycles / self.run_s if self.run_s else 0.0


@dataclass(frozen=True)
class _Difference:
    """Where a sequence first differs; ``index`` counts outputs within it, ``entered`` is when its last input did."""

    index: int
    entered: int
    cycle: int | None
    actual: Any
    reason: str
    mismatches: int


def compare(
    design: Design,
    *,
    vectors: int | None,
    start: int = 0,
    seed: int = 0,
    stall: float = 0.0,
    subject: Subject | None = None,
    tools: Tools | None = None,
    folder: Path | None = None,
    shrinks: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Comparison:
    """Run vectors through RTL and golden model until they differ.

    Parameters
    ----------
    vectors : int or None
        How many; None means every possible input, for units that have few.
    start : int
        Index of the first vector in the seed's sequence.
    stall : float
        Chance in [0, 1) that a stream pauses in a cycle, on both sides.
    subject : Subject, optional
        Compare this instead of what the design emits.
    folder : Path, optional
        Takes the waves around a difference.
    shrinks : bool
        Look for a short sequence that still fails.
    progress : callable
        Told the number of vectors done.

    Raises
    ------
    BadInput
        If the vectors complete no result, or there are too many to try all.
    """
    if vectors is None:
        parts = _every(design)
    elif subject and subject.is_free_running:
        parts = _steady(design, seed, vectors)
    else:
        parts = Sequence(design, seed).read(start, start + vectors)

    def words(span: slice | None, stop: int) -> list[str]:
        if vectors is None:
            return ["--vectors", "all"]
        begin, end = (span.start, span.stop) if span else (start, stop)
        return ["--seed", str(seed), "--start", str(begin), "--vectors", str(end - begin)]

    return _compare(design, parts, words, seed, stall, subject, tools, (folder, shrinks), progress)


def compare_transfers(
    design: Design,
    transfers: np.ndarray,
    *,
    words: tuple[str, ...] = (),
    stall: float = 0.0,
    seed: int = 0,
    subject: Subject | None = None,
    tools: Tools | None = None,
    folder: Path | None = None,
    shrinks: bool = False,
) -> Comparison:
    """The same for given transfers; ``words`` are the command line's for them, if they are in a file."""
    wants = (folder, shrinks)
    return _compare(
        design, [(0, transfers)], lambda span, stop: list(words), seed, stall, subject, tools, wants, lambda done: None
    )


def _compare(design, parts: Iterable, words, seed, stall, subject, tools, wants, progress) -> Comparison:
    emission = design.emit()
    subject = subject or Subject(emission.verilog)
    bench = _Bench(design, subject, subject.manifest or emission.manifest, stall, seed, tools or Tools.find())
    outcome = Comparison(bench.library.build_s, bench.library.cache_hit)
    with bench.model() as model:
        for first, transfers in parts:
            expected = design.golden(transfers)
            difference, cycles, run_s = bench.run(model, transfers, expected)
            outcome.run_s += run_s
            outcome.cycles += cycles
            outcome.vectors += len(transfers)
            if difference:
                outcome.mismatches = difference.mismatches
                before = (outcome.outputs, first)
                outcome.first_divergence = _explain(bench, transfers, expected, difference, before, words, *wants)
                outcome.outputs += difference.index + 1
                return outcome
            outcome.outputs += len(expected)
            progress(outcome.vectors)
    if outcome.outputs == 0:
        raise BadInput(f"{outcome.vectors} vectors complete no result of {design.unit.name}: ask for more with --vectors")
    return outcome


def _every(design):
    every = design.stimuli.every()
    if every is None:
        raise BadInput(f"{design.unit.name} has too many inputs to try all of them: give --vectors a number")
    chunk = 1 << 16
    return ((n, every[n : n + chunk]) for n in range(0, len(every), chunk))


def _steady(design, seed, vectors):
    """Random vectors at the full rate, in parts; each ends where the unit has answered completely."""
    done = 0
    while done < vectors:
        part = design.stimuli.steady(min(CHUNK, vectors - done), np.random.default_rng([seed, done]))
        yield done, part
        done += len(part)


class _Bench:
    """What is compared, and how it is run."""

    def __init__(self, design: Design, subject: Subject, manifest: Manifest, stall: float, seed: int, tools: Tools):
        self.design, self.subject, self.manifest, self.seed, self.tools = design, subject, manifest, seed, tools
        self.stalls = {stream.name: stall for stream in manifest.streams} if stall else {}
        self.stall = stall
        with self._build() as model:
            self.library: Library = model.library

    def _build(self, **options) -> cosim.Model:
        return cosim.build(self.subject.verilog, self.manifest, self.tools, more=self.subject.more, **options)

    def model(self) -> cosim.Model:
        """A new model: one that ran before remembers it in registers that are not reset."""
        return cosim.Model(self.library, self.manifest)

    def traced(self) -> cosim.Model:
        """A new model that writes waves."""
        return self._build(trace="vcd")

    def run(self, model, transfers, expected) -> tuple[_Difference | None, int, float]:
        """The first difference of a sequence if there is one, the cycles it took, and the seconds."""
        begin = model.cycles
        try:
            result = model.run({"i": transfers}, {"o": len(expected)}, stalls=self.stalls, seed=self.seed)
            hang = None
        except cosim.Hang as error:
            result, hang = error.result, str(error)
        return self._difference(transfers, expected, result, hang), model.cycles - begin, result.run_s

    def _difference(self, transfers, expected, result, hang) -> _Difference | None:
        actual, cycles = result.outputs["o"], result.output_cycles["o"]
        wrong = np.flatnonzero(differences(expected[: len(actual)], actual))
        missing = len(expected) - len(actual)

        def entered(index: int) -> int:
            stop = self.design.stimuli.cause(transfers, index).stop
            seen = result.input_cycles["i"][:stop]
            return int(seen[-1]) if len(seen) else 0

        if wrong.size:
            index = int(wrong[0])
            n = wrong.size + missing
            return _Difference(index, entered(index), int(cycles[index]), actual[index], "the values differ", n)
        if hang:
            return _Difference(len(actual), entered(len(actual)), None, None, hang, missing)
        if result.surplus["o"]:
            n, index = result.surplus["o"], len(expected) - 1
            return _Difference(index, entered(index), None, None, f"{n} transfers too many came after the last expected one", n)
        return None

    def alone(self, transfers) -> _Difference | None:
        """The first difference of a sequence that runs on a model of its own."""
        with self.model() as model:
            return self.run(model, transfers, self.design.golden(transfers))[0]

    def shortest(self, transfers, difference) -> slice | None:
        """Few transfers around those that make the difference, that show one when they run alone: tried, not guessed.

        None if not even all of them do, because something before them matters.
        """
        cause = self.design.stimuli.cause(transfers, difference.index)
        length = cause.stop - cause.start
        while True:
            before = max(0, cause.stop - length)
            after = min(len(transfers), cause.stop + length)
            for span in (slice(before, cause.stop), slice(before, after)):
                if self.alone(transfers[span]):
                    return span
            if (before, after) == (0, len(transfers)):
                return None
            length *= 2

    def waves(self, transfers, difference, folder: Path) -> tuple[Path, dict[str, int]]:
        """Write the waves around a difference that these transfers make alone, and read the unit's stages from them."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.design.unit.name}.vcd"
        first = max(0, difference.entered - _AROUND_CYCLES)
        shows = difference.entered + self.manifest.latency_cycles if difference.cycle is None else difference.cycle
        partial = path.with_suffix(f".{os.getpid()}.partial")  # two comparisons may write here at once
        with self.traced() as model:
            model.trace(partial, first, shows + _AROUND_CYCLES)
            self.run(model, transfers, self.design.golden(transfers))
            model.end_trace()
        stages = {name: difference.entered + delay for name, delay in self.design.stimuli.stages.items()}
        values = values_at(partial, stages)
        partial.replace(path)
        return path, values

    def fails(self, transfers) -> bool:
        """Whether a sequence is one that the unit can be given, and fails."""
        try:
            expected = self.design.golden(transfers)
        except ValueError:
            return False
        with self.model() as model:
            return len(expected) > 0 and self.run(model, transfers, expected)[0] is not None


def _explain(bench, transfers, expected, difference, before, words, folder, shrinks) -> Divergence:
    outputs_before, first = before
    design = bench.design
    cause = design.stimuli.cause(transfers, difference.index)
    span = bench.shortest(transfers, difference)
    options = ["--stall", str(bench.stall)] if bench.stall else []
    command = words(slice(first + span.start, first + span.stop) if span else None, first + len(transfers))
    divergence = Divergence(
        index=outputs_before + difference.index,
        cycle=difference.cycle,
        vectors=(first + cause.start, first + cause.stop - 1),
        inputs=[_plain(item) for item in transfers[cause]],
        expected=_plain(expected[difference.index]),
        actual=None if difference.actual is None else _plain(difference.actual),
        reason=difference.reason,
        command=shlex.join(["trme", "compare", *design.arguments, *command, *options, *bench.subject.words]) if command else "",
    )
    if span is None:
        return divergence
    alone = bench.alone(transfers[span])
    divergence = replace(divergence, cycle=alone.cycle)
    if folder:
        path, stages = bench.waves(transfers[span], alone, folder)
        divergence = replace(divergence, waves=str(path), stages=stages)
    if shrinks:
        short = shrink(transfers[span], bench.fails)
        divergence = replace(divergence, shrunk=[_plain(item) for item in short])
        if folder:
            np.save(folder / f"{design.unit.name}.npy", short)
    return divergence


def _plain(item):
    """A NumPy scalar, array or record as Python's own values."""
    if isinstance(item, np.void) and item.dtype.names:
        return {name: _plain(item[name]) for name in item.dtype.names}
    if isinstance(item, np.bool_):
        return int(item)
    return item.tolist()
