# SPDX-License-Identifier: Apache-2.0
"""RTL against golden model, natively: the first difference and what made it."""

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cosim
from cosim.packing import differences
from hdl.manifest import Manifest
from toolchain.errors import BadInput
from toolchain.verilator import Tools
from trme.design import Design, Sequence

__all__ = ["Comparison", "Divergence", "compare"]


@dataclass(frozen=True)
class Divergence:
    """The first output that differs.

    Parameters
    ----------
    index : int
        Of the output transfer among all that were compared.
    cycle : int or None
        When it left the RTL, in clock cycles since the model was made; None if it never did.
    vectors : tuple of int
        First and last index of the input vectors that make it.
    inputs, expected, actual
        Plain Python values; ``actual`` is None if nothing came.
    reason : str
        How it differs.
    command : str
        Reproduces it.
    """

    index: int
    cycle: int | None
    vectors: tuple[int, int]
    inputs: list
    expected: Any
    actual: Any
    reason: str
    command: str


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
    """Where a part of the sequence first differs; ``index`` counts outputs within it."""

    index: int
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
    verilog: str | None = None,
    verilog_path: str = "",
    tools: Tools | None = None,
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
    verilog : str, optional
        Text to compare instead of what the design emits, with the same ports.
    verilog_path : str
        Where that text is from, for the command that reproduces.
    progress : callable
        Told the number of vectors done.

    Raises
    ------
    BadInput
        If the vectors complete no result, or there are too many to try all.
    """
    emission = design.emit()
    parts, command = _parts(design, vectors, start, seed)
    model = cosim.build(verilog or emission.verilog, emission.manifest, tools)
    outcome = Comparison(model.library.build_s, model.library.cache_hit)
    run = _Runner(design, emission.manifest, model, stall, seed)
    with model:
        for first, transfers in parts:
            expected = design.golden(transfers)
            begin, cycles = time.perf_counter(), model.cycles
            difference = run(transfers, expected)
            outcome.run_s += time.perf_counter() - begin
            outcome.cycles += model.cycles - cycles
            outcome.vectors += len(transfers)
            if difference:
                outcome.mismatches = difference.mismatches
                span = run.shortest(transfers, difference)
                options = ["--stall", str(stall)] if stall else []
                options += ["--verilog", verilog_path] if verilog_path else []
                span = slice(first + span.start, first + span.stop) if span else slice(start, first + len(transfers))
                words = ["trme", "compare", *design.arguments, *command(span), *options]
                outcome.first_divergence = _describe(design, transfers, expected, difference, outcome.outputs, first, words)
                outcome.outputs += difference.index + 1
                return outcome
            outcome.outputs += len(expected)
            progress(outcome.vectors)
    if outcome.outputs == 0:
        raise BadInput(
            f"{outcome.vectors} vectors from {start} complete no result of {design.unit.name}: ask for more with --vectors"
        )
    return outcome


def _parts(design, vectors, start, seed):
    """The vectors in parts, and a function that gives the options to replay a span of all vectors."""
    if vectors is None:
        every = design.stimuli.every()
        if every is None:
            raise BadInput(f"{design.unit.name} has too many inputs to try all of them: give --vectors a number")
        chunk = 1 << 16
        return (
            ((n, every[n : n + chunk]) for n in range(0, len(every), chunk)),
            lambda span: ["--vectors", "all"],
        )
    return (
        Sequence(design, seed).read(start, start + vectors),
        lambda span: ["--seed", str(seed), "--start", str(span.start), "--vectors", str(span.stop - span.start)],
    )  # fmt: skip


class _Runner:
    """Runs transfers on a model and compares."""

    def __init__(self, design: Design, manifest: Manifest, model: cosim.Model, stall: float, seed: int):
        self.design, self.manifest, self.model, self.seed = design, manifest, model, seed
        self.stalls = {stream.name: stall for stream in manifest.streams} if stall else {}

    def __call__(self, transfers, expected, model: cosim.Model | None = None) -> _Difference | None:
        try:
            result = (model or self.model).run({"i": transfers}, {"o": len(expected)}, stalls=self.stalls, seed=self.seed)
            hang = None
        except cosim.Hang as error:
            result, hang = error.result, str(error)
        actual, cycles = result.outputs["o"], result.output_cycles["o"]
        wrong = np.flatnonzero(differences(expected[: len(actual)], actual))
        missing = len(expected) - len(actual)
        if wrong.size:
            index = int(wrong[0])
            return _Difference(index, int(cycles[index]), actual[index], "the values differ", wrong.size + missing)
        if hang:
            return _Difference(len(actual), None, None, hang, missing)
        if result.surplus["o"]:
            n = result.surplus["o"]
            return _Difference(len(expected) - 1, None, None, f"{n} transfers too many came after the last expected one", n)
        return None

    def shortest(self, transfers, difference) -> slice | None:
        """Few vectors around those that make the difference, that show one when they run alone: tried, not guessed.

        None if not even all of them do, because something before them matters.
        """
        cause = self.design.stimuli.cause(transfers, difference.index)
        length = cause.stop - cause.start
        while True:
            before = max(0, cause.stop - length)
            after = min(len(transfers), cause.stop + length)
            for span in (slice(before, cause.stop), slice(before, after)):
                # A model of its own: registers without reset would remember what ran before.
                with cosim.Model(self.model.library, self.manifest) as fresh:
                    if self(transfers[span], self.design.golden(transfers[span]), fresh):
                        return span
            if (before, after) == (0, len(transfers)):
                return None
            length *= 2


def _describe(design, transfers, expected, difference, outputs_before, first, words) -> Divergence:
    cause = design.stimuli.cause(transfers, difference.index)
    return Divergence(
        index=outputs_before + difference.index,
        cycle=difference.cycle,
        vectors=(first + cause.start, first + cause.stop - 1),
        inputs=[_plain(item) for item in transfers[cause]],
        expected=_plain(expected[difference.index]),
        actual=None if difference.actual is None else _plain(difference.actual),
        reason=difference.reason,
        command=shlex.join(words),
    )


def _plain(item):
    """A NumPy scalar, array or record as Python's own values."""
    if isinstance(item, np.void) and item.dtype.names:
        return {name: _plain(item[name]) for name in item.dtype.names}
    if isinstance(item, np.bool_):
        return int(item)
    return item.tolist()
