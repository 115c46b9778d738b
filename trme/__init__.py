# SPDX-License-Identifier: Apache-2.0
"""TRME Workbench: from an idea for matrix hardware without ordinary multipliers to numbers that can be trusted.

>>> import trme
>>> trme.load("modmul", modulus=251).golden([(250, 250)])
array([1])
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trme.handle import Handle, load
    from trme.products import MatmulStats, matmul

__version__ = "0.1.0"
__all__ = ["Handle", "MatmulStats", "load", "matmul"]

_HOMES = {"Handle": "trme.handle", "load": "trme.handle", "MatmulStats": "trme.products", "matmul": "trme.products"}


def __getattr__(name: str):
    """Import what is asked for, so that the command line does not pay for NumPy and more when it only lists units."""
    if name not in _HOMES:
        raise AttributeError(f"module 'trme' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
