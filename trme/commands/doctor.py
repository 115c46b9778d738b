# SPDX-License-Identifier: Apache-2.0
"""``trme doctor``."""

from dataclasses import asdict

from cyclopts import App

from toolchain.doctor import examine
from trme.options import JsonFile, Seed, VerilatorPath, write_json
from trme.table import table

app = App(name="doctor")


@app.default
def doctor(*, seed: Seed = 0, verilator: VerilatorPath = None, json: JsonFile = None) -> int:
    """Try every tool the workbench needs and say what is missing; exit code 3 if something needed is."""
    findings = examine(verilator)
    print(
        table(
            ["tool", "version", "tried", "for", "where"],
            [[f.tool, f.version or "-", f.verdict, f.purpose, f.where or "-"] for f in findings],
        )
    )
    missing = [f for f in findings if f.needed and f.verdict != "works"]
    for finding in missing:
        print(f"\n{finding.tool}: {finding.remedy}")
    if not missing:
        print("\nEverything needed is there and works.")
    write_json(json, {"ready": not missing, "seed": seed, "tools": [asdict(f) for f in findings]})
    return 3 if missing else 0
