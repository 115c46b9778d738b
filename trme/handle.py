# SPDX-License-Identifier: Apache-2.0
"""A unit as a Python object."""

from functools import cached_property

import numpy as np

import cosim
from cosim.packing import dtype_of
from hdl.manifest import Manifest
from toolchain.errors import BadInput
from trme.catalog import UNITS, find
from trme.compare import Comparison, compare_transfers
from trme.design import Design

__all__ = ["Handle", "load"]


class Handle:
    """A unit with its parameters: its Verilog, its golden model, its RTL.

    Transfers are structured arrays of shape ``(n,)`` with the fields of the stream's payload (`dtype`), or anything
    that NumPy makes one of.
    """

    def __init__(self, design: Design):
        self.design = design

    def __repr__(self) -> str:
        return f"<{self.design.unit.name} {self.design.configuration}>"

    @cached_property
    def _emission(self):
        return self.design.emit()

    @cached_property
    def _model(self) -> cosim.Model:
        return cosim.build(self.verilog, self.manifest)

    @property
    def verilog(self) -> str:
        """The Verilog's text."""
        return self._emission.verilog

    @property
    def manifest(self) -> Manifest:
        """The manifest."""
        return self._emission.manifest

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of a transfer on stream ``i``."""
        return dtype_of(self.manifest.stream_layout(next(s for s in self.manifest.streams if s.name == "i")))

    def golden(self, transfers) -> np.ndarray:
        """What must leave on stream ``o``."""
        return self.design.golden(self._transfers(transfers))

    def rtl(self, transfers) -> np.ndarray:
        """What leaves the RTL on stream ``o``, from reset on; as many transfers as the golden model says."""
        transfers = self._transfers(transfers)
        self._model.reset()
        return self._model.run({"i": transfers}, {"o": len(self.design.golden(transfers))}).outputs["o"]

    def compare(self, transfers) -> Comparison:
        """Both, and the first difference if there is one."""
        return compare_transfers(self.design, self._transfers(transfers))

    def _transfers(self, transfers) -> np.ndarray:
        if isinstance(transfers, np.ndarray) and transfers.dtype.names:
            return transfers
        try:
            return np.array(transfers, self.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"these are no transfers of type {self.dtype}: {error}") from error


def load(unit: str, **parameters) -> Handle:
    """The unit of that name with these parameters.

    Raises
    ------
    BadInput
        If there is no such unit, or a parameter cannot be used.

    Examples
    --------
    >>> import trme
    >>> h = trme.load("systolic", rows=2, cols=1, semiring="min-plus")
    >>> h.golden([((3, 4), (5,), 1)])["c"].tolist()
    [[8], [9]]
    """
    if unit not in {known.name for known in UNITS}:
        raise BadInput(f"there is no unit {unit!r}: the units are {', '.join(known.name for known in UNITS)}")
    found = find(unit)
    try:
        return Handle(Design(found, found.load("parameters")(**parameters)))
    except (TypeError, ValueError) as error:
        raise BadInput(str(error)) from error
