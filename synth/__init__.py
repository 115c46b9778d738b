# SPDX-License-Identifier: Apache-2.0
"""Turns Verilog plus its manifest into timing and area. Knows no unit. Empty until the FPGA flow is built."""
