# SPDX-License-Identifier: Apache-2.0
"""``python -m trme``."""

import sys

from trme.cli import main

sys.exit(main())
