# SPDX-License-Identifier: Apache-2.0
"""``trme list``."""

from cyclopts import App

from trme.catalog import UNITS
from trme.options import JsonFile, Seed, write_json

app = App(name="list")


@app.default
def list_units(*, seed: Seed = 0, json: JsonFile = None) -> int:
    """List the units."""
    width = max(len(unit.name) for unit in UNITS)
    for unit in UNITS:
        print(f"{unit.name:{width}}  {unit.summary}")
    print("\ntrme generate UNIT --help shows a unit's parameters with their ranges and defaults.")
    write_json(json, {"units": [{"unit": u.name, "family": u.family, "summary": u.summary} for u in UNITS], "seed": seed})
    return 0
