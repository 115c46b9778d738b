# SPDX-License-Identifier: Apache-2.0
"""Turns Verilog plus its manifest into a Python callable on NumPy arrays. Knows no unit."""

from cosim.model import Hang, Model, build

__all__ = ["Hang", "Model", "build"]
