# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between Verilog and a figure; each has its own sentence and exit code."""

from toolchain.errors import BadInput, ToolFailed, TrmeError

__all__ = ["NoFmax", "NoRegisterPath", "TooLarge", "Unroutable", "Vanished"]


class TooLarge(BadInput):
    """The design needs more of something than the device has."""


class NoRegisterPath(BadInput):
    """No path leads from register to register through the unit, so that it has no Fmax."""


class Unroutable(TrmeError):
    """The design was placed, and the router found no way."""


class Vanished(TrmeError):
    """Registers or multipliers that the Verilog has are not in the netlist."""


class NoFmax(ToolFailed):
    """nextpnr's report is not there, is cut off, or says nothing of the clock."""
