# SPDX-License-Identifier: Apache-2.0
"""Real problems solved on the hardware; each module has an ``app`` for ``trme run``."""
