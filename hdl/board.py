# SPDX-License-Identifier: Apache-2.0
"""A self-test between the pins of a board."""

from amaranth import *
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.utils import exact_log2

__all__ = ["OnBoard"]


class OnBoard(Elaboratable):
    """A self-test's module between the pins of a board, for an Amaranth platform.

    Parameters
    ----------
    module : str
        Name of the Verilog module.
    lights : tuple of tuple
        Resource, number, and subsignal or None: for ``blink``, ``passed``, ``failed``, as many as there are.
    has_uart : bool
        Whether ``tx`` goes to resource ``uart``.
    divide : int
        Of the board's clock, a power of two: above 1 the self-test runs in a domain ``divided``, so many times slower.
    """

    def __init__(self, module: str, lights: tuple[tuple[str, int, str | None], ...], has_uart: bool, divide: int = 1):
        self.module, self.lights, self.has_uart, self.divide = module, lights, has_uart, divide

    def elaborate(self, platform):
        m = Module()
        outputs = {name: Signal(name=name) for name in ("blink", "passed", "failed", "tx")}
        domain = "sync"
        if self.divide > 1:
            domain = "divided"
            phase = Signal(exact_log2(self.divide))
            m.domains.divided = ClockDomain()
            m.d.sync += phase.eq(phase + 1)
            m.d.comb += ClockSignal(domain).eq(phase[-1])
            m.submodules.reset = ResetSynchronizer(ResetSignal(allow_reset_less=True), domain=domain)
        m.submodules.selftest = Instance(
            self.module,
            i_clk=ClockSignal(domain),
            i_rst=ResetSignal(domain, allow_reset_less=True),
            **{f"o_{name}": signal for name, signal in outputs.items()},
        )
        requested = {}
        pins = [(name, *light) for name, light in zip(outputs, self.lights, strict=False)]
        for name, resource, number, part in [*pins, *([("tx", "uart", 0, "tx")] if self.has_uart else [])]:
            key = resource, number
            if key not in requested:
                requested[key] = platform.request(resource, number, dir="-")
            port = getattr(requested[key], part) if part else requested[key]
            m.submodules[f"{name}_pin"] = pin = io.Buffer("o", port)
            m.d.comb += pin.o.eq(outputs[name])
        return m
