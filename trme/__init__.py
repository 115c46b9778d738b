# SPDX-License-Identifier: Apache-2.0
"""TRME Workbench: from an idea for matrix hardware without ordinary multipliers to numbers that can be trusted."""

__version__ = "0.1.0"
