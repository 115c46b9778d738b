# SPDX-License-Identifier: Apache-2.0
"""``trme sim``."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from toolchain.errors import BadInput
from toolchain.verilator import Tools
from trme.catalog import UNITS, find
from trme.options import JsonFile, Seed, VerilatorPath, write_json
from trme.sim import SimResult, simulate
from trme.table import table

app = App(name="sim")


@app.default
def sim(
    *units: Annotated[str, Parameter(help="Units to simulate. Default: all.", negative="")],
    waves: Annotated[bool, Parameter(negative="", help="Keep the waves of every run.")] = False,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="Folder for logs and waves.")] = Path("build/sim"),
    seed: Seed = 1,
    verilator: VerilatorPath = None,
    json: JsonFile = None,
) -> int:
    """Run the cocotb benches of units on Verilator, each in a few configurations."""
    unknown = [name for name in units if name not in {unit.name for unit in UNITS}]
    if unknown:
        raise BadInput(f"there is no unit {unknown[0]!r}: the units are {', '.join(unit.name for unit in UNITS)}")
    chosen = [find(name) for name in units] or list(UNITS)
    tools = Tools.find(verilator)
    folder = output.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write into --output {output}: {error.strerror}") from error
    print(f"seed {seed}, Verilator {tools.verilator.version}, logs in {output}", file=sys.stderr)
    results = []
    try:
        for result in simulate(chosen, seed=seed, folder=folder, waves=waves, tools=tools):
            print(f"{'PASS' if result.passed else 'FAIL'}  {result.unit} {result.configuration}", file=sys.stderr)
            results.append(result)
    except OSError as error:
        raise BadInput(f"cannot write into --output {output}: {error.strerror}") from error
    print(
        table(
            ["unit", "configuration", "tests", "transactions", "latency", "interval", "verdict", "s"],
            [_row(result) for result in results],
            right=["tests", "transactions", "latency", "interval", "s"],
        )
    )
    print(f"seed {seed}; latency and initiation interval in cycles, measured/declared")
    failed = [result for result in results if not result.passed]
    for result in failed:
        print(f"\nFAIL  {result.unit} {result.configuration}\n  {result.trouble}\n  log    {result.log}")
        if result.waves:
            print(f"  waves  {result.waves}")
    if waves:
        print("\n".join(f"waves  {result.waves}" for result in results if result.passed))
    write_json(json, {
        "seed": seed,
        "verilator": tools.verilator.version,
        "passed": not failed,
        "results": [asdict(result) | {"passed": result.passed} for result in results],
    })  # fmt: skip
    return 1 if failed or not results else 0


def _row(result: SimResult) -> list[str]:
    def against(measured, declared):
        return f"{'-' if measured is None else measured}/{declared}"

    return [
        result.unit,
        result.configuration,
        str(result.tests),
        str(result.transactions),
        against(result.latency_cycles, result.declared_latency_cycles),
        against(result.interval_cycles, result.declared_interval_cycles),
        "PASS" if result.passed else "FAIL",
        f"{result.wall_s:.1f}",
    ]
