# SPDX-License-Identifier: Apache-2.0
"""Turns Verilog plus its manifest into a Python callable on NumPy arrays. Knows no unit."""

from cosim.build import build
from cosim.isolated import Crashed, IsolatedModel
from cosim.model import Hang, Model, RunResult

__all__ = ["Crashed", "Hang", "IsolatedModel", "Model", "RunResult", "build"]
