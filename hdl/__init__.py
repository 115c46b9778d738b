# SPDX-License-Identifier: Apache-2.0
"""The hardware: Amaranth generators, and their emission as Verilog with a manifest."""
