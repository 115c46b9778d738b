# SPDX-License-Identifier: Apache-2.0
"""What the hardware must compute: parameters and NumPy models, independent of any hardware."""
