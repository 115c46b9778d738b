# SPDX-License-Identifier: Apache-2.0
"""A self-test around any unit with one stream in and one out, to be run on a board::

    |Source: shift register, words| --> unit --> |Signature: count, CRC-32| --> verdict --> lights, |LineSender| --> tx

The words are transfers that the unit may be given, taken in an order in which every word follows every other. What is expected
comes from golden and is a constant here.
"""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from amaranth.utils import ceil_log2

from hdl.manifest import Emission
from hdl.parts import Part, PartPort
from hdl.signature import Signature, Source
from hdl.uart import LineSender, UartTransmitter

__all__ = ["BAUD", "SelfTest", "Unit"]

BAUD = 115200


class Unit(Part):
    """An emitted unit as a part.

    Raises
    ------
    ValueError
        If it has not exactly one stream in and one out, both with ``ready``, beside clock and reset.
    """

    def __init__(self, emission: Emission):
        manifest = emission.manifest
        self.emission = emission
        sides = [s for side in ("input", "output") for s in manifest.streams if s.direction == side and s.ready]
        if [s.direction for s in sides] != ["input", "output"] or len(manifest.ports) != 8:
            raise ValueError(
                f"a self-test needs a unit with one stream in and one out, both with ready, and {manifest.unit} has the ports "
                f"{', '.join(port.name for port in manifest.ports)}"
            )
        self.source, self.sink = sides
        ports = (port for port in manifest.ports if port.name not in (manifest.clock, manifest.reset))
        parts = tuple(PartPort(port.name, port.direction == "input", port.width, str(port.width)) for port in ports)
        super().__init__(manifest.top, parts, has_reset=True)

    @property
    def text(self):
        return self.emission.verilog

    def width(self, stream) -> int:
        """Bits of a stream's payload."""
        return self.emission.manifest.port(stream.payload).width


class SelfTest(wiring.Component):
    """A unit that is tested over and over, and what it says about that.

    A run resets the unit, feeds it, and ends when nothing has moved for ``quiet_cycles``, or a result too many came; it is
    right if all words were taken, and number and signature of the results are those expected. The first run that is not makes
    ``failed`` high for ever, and is the one that lines report. Runs follow each other without a pause; a line is sent when the
    first run is over, then two to four times a second.

    Parameters
    ----------
    unit : Emission
        The unit with its streams.
    words, n_words : list of int, int
        As for `Source`.
    n_results, signature : int
        What golden expects of a run.
    clock_hz : float
        At least 3 MHz, so that `BAUD` is met within 2 %.
    title : str
        What lines begin with.

    Members
    -------
    blink : Out(1)
        Half a second to a second on and as long off; eight times as fast once a run failed.
    passed, failed : Out(1)
        Both low until the first run is over.
    tx : Out(1)
        Lines, 115200 baud, 8 data bits, no parity, 1 stop bit.
    """

    def __init__(
        self, unit: Emission, words: list[int], n_words: int, *, n_results: int, signature: int, clock_hz: float, title: str
    ):
        if clock_hz < 3e6:
            raise ValueError(f"clock_hz must be at least 3 MHz for {BAUD} baud, not {clock_hz!r}")
        self.unit = Unit(unit)
        self.words, self.n_words, self.n_results, self.expected = words, n_words, n_results, signature
        self.clock_hz, self.title = clock_hz, title
        super().__init__({"blink": Out(1), "passed": Out(1), "failed": Out(1), "tx": Out(1, init=1)})

    @property
    def quiet_cycles(self) -> int:
        """Longer than a unit that works is ever silent within a run."""
        manifest = self.unit.emission.manifest
        return 64 + 2 * (manifest.latency_cycles + manifest.initiation_interval_cycles)

    @property
    def latency(self) -> int:
        """Cycles of a run, if the unit takes a word per cycle."""
        return self.n_words + self.quiet_cycles

    @property
    def initiation_interval(self) -> int:
        """Cycles from run to run, the same."""
        return self.latency

    def elaborate(self, platform):
        m = Module()
        restart = Signal()
        accept, emit, source, sink = self._connect(m, platform, restart)

        # Verdict: `found` is the signature of the last run, or of the first that failed.
        quiet = Signal(range(self.quiet_cycles + 1))
        m.d.sync += quiet.eq(Mux(restart | accept | emit, self.quiet_cycles, quiet - 1))
        is_right = source.is_done & (sink.count == self.n_results) & (sink.crc == self.expected)
        is_judged = Signal()
        found = Signal(32, reset_less=True)
        with m.FSM():
            with m.State("RESTART"):
                m.d.comb += restart.eq(1)
                m.next = "RUN"
            with m.State("RUN"), m.If((sink.count > self.n_results) | (quiet == 0)):
                m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.sync += [is_judged.eq(1), self.failed.eq(self.failed | ~is_right)]
                with m.If(~self.failed):
                    m.d.sync += found.eq(sink.crc)
                m.next = "RESTART"

        # Lights and lines.
        time = Signal(ceil_log2(int(self.clock_hz)))
        is_due = Signal(init=1)
        m.submodules.sender = sender = LineSender(self.title)
        m.submodules.transmitter = transmitter = UartTransmitter(round(self.clock_hz / BAUD))
        wiring.connect(m, sender.o, transmitter.i)
        send = is_due & is_judged & sender.ready
        m.d.sync += [time.eq(time + 1), is_due.eq((is_due & ~send) | (time[:-2] == 0))]
        m.d.comb += [
            sender.start.eq(send), sender.failed.eq(self.failed), sender.value.eq(found), self.tx.eq(transmitter.tx),
            self.blink.eq(Mux(self.failed, time[-4], time[-1])), self.passed.eq(is_judged & ~self.failed),
        ]  # fmt: skip
        return m

    def _connect(self, m, platform, restart):
        """The unit between source and sink; returns whether it accepts and emits, and the two."""
        unit, ports = self.unit, {port.name: Signal(port.width, name=port.name) for port in self.unit.ports}
        m.submodules.source = source = Source(self.words, unit.width(unit.source), self.n_words)
        m.submodules.signature = sink = Signature(unit.width(unit.sink), self.n_results)
        platform.add_part(unit)
        m.submodules.unit = Instance(
            unit.name,
            **{
                f"i_{unit.emission.manifest.clock}": ClockSignal(),
                f"i_{unit.emission.manifest.reset}": ResetSignal() | restart,
            },
            **{f"{'i' if port.is_input else 'o'}_{port.name}": ports[port.name] for port in unit.ports},
        )
        m.d.comb += [
            source.restart.eq(restart), sink.restart.eq(restart),
            ports[unit.source.payload].eq(source.o.payload), ports[unit.source.valid].eq(source.o.valid),
            source.o.ready.eq(ports[unit.source.ready]), ports[unit.sink.ready].eq(1),
            sink.i.payload.eq(ports[unit.sink.payload]), sink.i.valid.eq(ports[unit.sink.valid]),
        ]  # fmt: skip
        return source.o.valid & source.o.ready, sink.i.valid, source, sink
