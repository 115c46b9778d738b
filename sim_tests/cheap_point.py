# SPDX-License-Identifier: Apache-2.0
"""A point function that costs nothing and answers by formula, for sweeps whose tools are not what is tested.

Importable by its name, as Dask's workers need it.
"""

import time
from pathlib import Path

LOG = "calls.log"
"""In the working folder: a line for each call that was answered."""


def cheap(point, workbench):
    """Area grows with the modulus, and method fold is quicker; modulus 13 fails for good, 17 for now, 19 is a fault of ours."""
    modulus, is_fold = point.parameters["modulus"], point.parameters["method"] == "fold"
    with Path(LOG).open("a") as log:
        log.write(f"{modulus} {point.parameters['method']}\n")
    if modulus in (13, 17):
        return {"failure": f"modulus {modulus} has no luck", "is_lasting": modulus == 13, "attempts": []}
    if modulus == 19:
        raise RuntimeError("nobody expects this")
    fmax = (600 if is_fold else 500) - modulus
    return {
        "failure": None, "is_lasting": True, "lut": 3 * modulus + 40 * is_fold, "ff": 80, "dsp": 0 if is_fold else 3, "bram": 0,
        "latency_cycles": 14 if is_fold else 13, "initiation_interval_cycles": 1, "seeds_failed": 0, "logic_levels": 2,
        "fmax_min_mhz": fmax - 10.0, "fmax_median_mhz": float(fmax), "fmax_max_mhz": fmax + 10.0,
        "share_met": None if point.target_mhz is None else float(fmax >= point.target_mhz),
        "attempts": [
            {"seed": seed, "fmax_mhz": fmax - 10.0 + 10 * n, "failure": None, "wall_s": 1.0}
            for n, seed in enumerate(point.seeds)
        ],
    }  # fmt: skip


def slow(point, workbench):
    """The same, a quarter of a second later, and logged only then."""
    time.sleep(0.25)
    return cheap(point, workbench)
