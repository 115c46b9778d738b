# SPDX-License-Identifier: Apache-2.0
"""A unit's self-test: its words and what golden makes of them, its Verilog, and its bitstream for a board."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cosim.packing import pack
from golden.signature import ADDRESS_BITS, PERIOD, addresses, signature
from hdl.manifest import Emission, Layout
from synth.bitstream import Built, build
from synth.boards import Board, find_board
from toolchain.errors import BadInput
from trme.design import CHUNK, Design

__all__ = ["Bitstream", "Plan", "build_bitstream", "emit_selftest", "plan"]

_TOP = "trme_selftest"
_DIVIDES = (1, 2, 4, 8)
_SLOWEST_MHZ = 3.0
"""What a board's clock is divided by if need be, and how slow it may get for the UART."""
_COMPLETING = (0.0, 0.0, 0.5, 0.75, 1.0)
"""The share of words, in each attempt to find them, that complete a result: where they are rare, tiles get too deep."""


@dataclass(frozen=True)
class Plan:
    """What a self-test feeds and expects.

    Parameters
    ----------
    words : structured array of shape ``(256,)``
        Transfers.
    n_words, n_results : int
        Of a run.
    signature : int
        CRC-32 of the results.
    """

    words: np.ndarray
    n_words: int
    n_results: int
    signature: int


@dataclass(frozen=True)
class Bitstream:
    """A self-test for a board; ``verilog`` is the file of its module, ``built`` what the tools made."""

    design: Design
    board: Board
    plan: Plan
    verilog: Path
    built: Built

    @property
    def met(self) -> bool:
        """Whether it is as fast as its clock."""
        return self.built.met

    @property
    def load_command(self) -> str:
        """A command line that loads it."""
        return self.board.load_command(self.built.bitstream)

    @property
    def line(self) -> str:
        """What the board sends when all is well."""
        return f"{title(self.design)} PASS {self.plan.signature:08x}"

    def in_words(self) -> str:
        """For people."""
        board = self.board
        rows = [
            f"bitstream {self.built.bitstream}, {self.built.bitstream.stat().st_size} bytes, for {board.name} ({board.part})",
            f"  test    {self.plan.n_words} transfers, {self.plan.n_results} results, signature {self.plan.signature:08x}",
            f"  clock   {self.built.clock_mhz:g} MHz, the board has {board.clock_mhz:g} MHz; Fmax {self.built.fmax_mhz:.1f} MHz"
            + ("" if self.met else ": TIMING MISSED, what the board shows would mean nothing"),
            f"  lights  {board.lights_in_words}",
        ]
        if board.has_uart:
            rows.append(f"  UART    115200 baud, 8N1: {self.line}")
        rows.append(f"  load    {self.load_command}")
        return "\n".join(rows)

    def as_json(self) -> dict:
        """For programs."""
        return {
            "board": self.board.name,
            "board_clock_mhz": self.board.clock_mhz,
            "clock_mhz": self.built.clock_mhz,
            "fmax_mhz": self.built.fmax_mhz,
            "met": self.met,
            "signature": f"{self.plan.signature:08x}",
            "transfers": self.plan.n_words,
            "results": self.plan.n_results,
            "line": self.line if self.board.has_uart else None,
            "load_command": self.load_command,
            "files": [str(path) for path in (*self.built.files, self.verilog)],
        }


def plan(design: Design, seed: int = 0) -> Plan:
    """Find words that golden takes in the order of `golden.signature.addresses`, and what it makes of them.

    Raises
    ------
    BadInput
        If there are none.
    """
    order = addresses(PERIOD)
    for attempt, share in enumerate(_COMPLETING):
        words = _words(design, np.random.default_rng([seed, attempt]), share)
        transfers = words[order]
        try:
            results = design.golden(transfers)
        except ValueError:  # these words must not follow each other so
            continue
        if not len(results):
            continue
        n = design.stimuli.cause(transfers, len(results) - 1).stop  # what comes after completes nothing
        return Plan(words, int(n), len(results), signature(_bytes(_layout(design.emit(), "output"), results)))
    raise BadInput(
        f"{design.unit.name} {design.configuration} has no self-test: no {1 << ADDRESS_BITS} transfers were found that may "
        "follow each other in any order; take other parameters"
    )


def _words(design: Design, rng: np.random.Generator, completing: float) -> np.ndarray:
    """Half directed, half random transfers, fewer directed ones if there are not so many; a share completes a result each."""
    n_all = 1 << ADDRESS_BITS
    n_completing = int(completing * n_all)
    directed, random = design.stimuli.directed(), design.stimuli.random(CHUNK, rng)
    parts = [_draw(directed, random, n_all - n_completing, rng)]
    if n_completing:
        directed, random = (_completing(design, rng.permutation(all_)[: 4 * n_all]) for all_ in (directed, random))
        parts.append(_draw(directed, random, n_completing, rng))
    return rng.permutation(np.concatenate(parts))


def _draw(directed: np.ndarray, random: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Transfers of both kinds, each at most once if there are so many."""
    chosen = rng.permutation(directed)[: n // 2]
    return np.resize(np.concatenate([chosen, random[: n - len(chosen)]]), n)


def _completing(design: Design, transfers: np.ndarray) -> np.ndarray:
    """Those that complete a result alone."""
    return transfers[[len(design.golden(transfers[n : n + 1])) > 0 for n in range(len(transfers))]]


def _layout(emission: Emission, direction: str) -> Layout:
    manifest = emission.manifest
    return next(manifest.stream_layout(stream) for stream in manifest.streams if stream.direction == direction)


def _bytes(layout: Layout, values: np.ndarray) -> np.ndarray:
    """Payloads as rows of as few bytes as hold them."""
    return pack(layout, values)[:, : -(-layout.width // 8)]


def title(design: Design) -> str:
    """What lines of the self-test begin with."""
    return f"TRME {design.unit.name} {design.configuration}"


def emit_selftest(design: Design, plan: Plan, clock_mhz: float, unit: Emission | None = None) -> Emission:
    """The self-test's module.

    Parameters
    ----------
    unit : Emission, optional
        Take this instead of what the design emits: to see a fault found.

    Raises
    ------
    BadInput
        If the unit has not one stream in and one out.
    """
    from hdl.emit import emit
    from hdl.selftest import SelfTest

    unit = unit or design.emit()
    try:
        component = SelfTest(
            unit,
            [int.from_bytes(row.tobytes(), "little") for row in pack(_layout(unit, "input"), plan.words)],
            plan.n_words,
            n_results=plan.n_results,
            signature=plan.signature,
            clock_hz=clock_mhz * 1e6,
            title=title(design),
        )
    except ValueError as error:
        raise BadInput(str(error)) from error
    return emit(component, unit=f"{design.unit.name} self-test", parameters=design.params.as_dict(), top=_TOP)


def build_bitstream(
    design: Design, board_name: str, folder: Path, *, native: bool = False, jobs: int | None = None, seed: int = 0
) -> Bitstream:
    """A bitstream with a self-test of the design for a board, and what to expect of it.

    If the board's clock is too fast for the design, the self-test runs at a half, a quarter or an eighth of it.

    Parameters
    ----------
    board_name : str
        As `synth.boards.boards` lists them.
    folder : Path
        Takes ``UNIT.bin`` or ``UNIT.bit`` and ``UNIT.svf``, ``UNIT_selftest.v``, and nextpnr's report and log.
    native : bool
        Take the programs from PATH.
    jobs : int, optional
        Threads of nextpnr; one by default.
    seed : int
        Of words and placement.

    Raises
    ------
    BadInput
        If there is no such board, it can show nothing, the unit cannot be tested so or does not fit, or the folder cannot be
        written.
    ToolMissing, ToolFailed
        If a program is not there, or refuses.
    """
    from hdl.board import OnBoard

    board = find_board(board_name)
    words = plan(design, seed)
    name = design.unit.name.replace("-", "_")
    options = {"native": native, "threads": jobs or 1, "seed": seed + 1}
    for divide in (divide for divide in _DIVIDES if divide == 1 or board.clock_mhz / divide >= _SLOWEST_MHZ):
        verilog = emit_selftest(design, words, board.clock_mhz / divide).verilog
        top = OnBoard(_TOP, board.lights, board.has_uart, divide)
        built = build(board, top, verilog, name, folder, divide=divide, **options)
        if built.met:
            break
    path = folder / f"{name}_selftest.v"
    try:
        path.write_text(verilog)
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error
    return Bitstream(design, board, words, path, built)
