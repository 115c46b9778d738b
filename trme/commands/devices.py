# SPDX-License-Identifier: Apache-2.0
"""``trme devices``."""

from dataclasses import asdict

from cyclopts import App

from synth.devices import DEVICES, GENERIC
from toolchain.eda import find_program
from toolchain.errors import ToolMissing
from trme.options import JsonFile, Seed, write_json
from trme.table import table

app = App(name="devices")


@app.default
def devices(*, seed: Seed = 0, json: JsonFile = None) -> int:
    """List the devices of trme synth, what their clock networks carry, and the boards of --bitstream."""
    rows = []
    for device in DEVICES:
        limit = f"{device.clock_limit_mhz:g}" if device.clock_limit_mhz else "?"
        capacity = [str(device.capacity[name]) for name in ("LUT", "FF", "DSP", "BRAM")]
        rows.append([device.name, device.part, *capacity, limit, device.family.place_and_route, _tried(device)])
    head = ["device", "part", "LUT", "FF", "DSP", "BRAM", "clock limit MHz", "placed by", "tool"]
    print(table(head, rows, right=head[2:7]))
    print(f"\n{GENERIC}: no device; LUT4, LUT6 and gate counts and logic depth, by Yosys alone.")
    families = {device.family.name: device for device in DEVICES}
    print("\nClock limits:")
    for device in families.values():
        print(f"  {device.family.name}: {device.clock_limit_source}")
    print("\nHow far to believe the timing:")
    for device in families.values():
        print(f"  {device.family.name}: {device.family.caveat or 'no reservation is known'}")
    from synth.boards import boards

    print("\nBoards of trme synth --bitstream: " + ", ".join(board.name for board in boards()))
    write_json(json, {"seed": seed, "devices": [asdict(device) for device in DEVICES]})
    return 0


def _tried(device) -> str:
    try:
        return find_program(device.family.place_and_route, prepared=False).version.split(",")[0]
    except ToolMissing:
        return "missing"
