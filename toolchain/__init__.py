# SPDX-License-Identifier: Apache-2.0
"""The ground: finds and runs outside programs, keeps results by content, locks. Knows no hardware."""
