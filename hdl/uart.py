# SPDX-License-Identifier: Apache-2.0
"""A line of text about a self-test, sent character by character::

start --> |LineSender: text memory, digits| --> |UartTransmitter| --> tx
"""

from amaranth import *
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["LineSender", "UartTransmitter"]

_DIGIT = 0x00
_END = 0x80
"""In the text memory: the place of a digit, and what is added to the last character."""


class UartTransmitter(wiring.Component):
    """Bytes as asynchronous serial: one start bit, eight data bits, the lowest first, one stop bit, no parity.

    ``tx`` is high at rest. A byte takes ten bits of ``divisor`` cycles each; ``i.ready`` is low meanwhile.

    Parameters
    ----------
    divisor : int
        Cycles per bit, at least 2.
    """

    def __init__(self, divisor: int):
        if divisor < 2:
            raise ValueError(f"divisor must be at least 2 cycles per bit, not {divisor!r}")
        self.divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "tx": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        frame = Signal(9, init=-1)  # what is still to be sent, ones behind it
        bits = Signal(range(11))
        cycles = Signal(range(self.divisor))
        m.d.comb += [self.tx.eq(frame[0]), self.i.ready.eq(bits == 0)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [frame.eq(Cat(C(0, 1), self.i.payload)), bits.eq(10), cycles.eq(self.divisor - 1)]
        with m.Elif(cycles != 0):
            m.d.sync += cycles.eq(cycles - 1)
        with m.Elif(~self.i.ready):
            m.d.sync += [frame.eq(Cat(frame[1:], C(1, 1))), bits.eq(bits - 1), cycles.eq(self.divisor - 1)]
        return m


class LineSender(wiring.Component):
    """One of two lines, ``title PASS 0123abcd`` or ``title FAIL 0123abcd``, each ended by carriage return and line feed.

    Takes ``failed`` and ``value`` in the cycle of ``start``, which is heeded while ``ready`` is high. A character is
    offered every second cycle at most.

    Parameters
    ----------
    title : str
        Printable ASCII.
    """

    def __init__(self, title: str):
        if not (title.isascii() and title.isprintable()):
            raise ValueError(f"title must be printable ASCII, not {title!r}")
        self.title = title
        super().__init__(
            {
                "start": In(1),
                "ready": Out(1),
                "failed": In(1),
                "value": In(32),
                "o": Out(stream.Signature(8)),
            }
        )

    def elaborate(self, platform):
        m = Module()

        # Text: both lines, equally long, so that the verdict chooses the first address.
        lines = [f"{self.title} {verdict} ".encode() + bytes([_DIGIT] * 8) + b"\r" for verdict in ("PASS", "FAIL")]
        text = b"".join(line + bytes([ord("\n") | _END]) for line in lines)
        m.submodules.text = memory = Memory(shape=8, depth=len(text), init=text)
        character = memory.read_port()
        place = Signal(range(len(text)))
        m.d.comb += character.addr.eq(place)

        # Digits: the highest four bits go out, the next four follow.
        digits = Signal(32, reset_less=True)
        digit = digits[-4:]
        is_digit = character.data == _DIGIT
        as_character = digit + Mux(digit < 10, ord("0"), ord("a") - 10)
        m.d.comb += self.o.payload.eq(Mux(is_digit, as_character, character.data[:7]))

        with m.FSM():
            with m.State("WAIT"):
                m.d.comb += self.ready.eq(1)
                with m.If(self.start):
                    m.d.sync += [place.eq(Mux(self.failed, len(text) >> 1, 0)), digits.eq(self.value)]
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.d.sync += [place.eq(place + 1), digits.eq(Mux(is_digit, digits << 4, digits))]
                    m.next = "FETCH"
                    with m.If(character.data & _END):
                        m.next = "WAIT"
        return m
