# SPDX-License-Identifier: Apache-2.0
"""The evidence: cocotb benches and pytest, file for file beside golden/ and hdl/."""
