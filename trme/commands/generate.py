# SPDX-License-Identifier: Apache-2.0
"""``trme generate``."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from toolchain.errors import BadInput
from trme.design import Design
from trme.options import OPTIONS, JsonFile, Seed, unit_commands, write_json

app = App(name="generate", group_parameters=OPTIONS)


def generate(
    design: Design,
    *,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Folder to write into. Default: build/UNIT.")
    ] = None,
    top: Annotated[str | None, Parameter(help="Name of the top module and of the file. Default: the unit's.")] = None,
    free_running: Annotated[
        bool, Parameter(negative="", help="Only the core that never stalls, without the wrapper that gives its streams ready.")
    ] = False,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Write a unit's Verilog and manifest."""
    if top is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", top):
        raise BadInput(f"--top {top!r} is no Verilog identifier: letters, digits and underscores, not a digit first")
    folder = output or Path("build") / design.unit.name
    emission = design.emit(top=top, free_running=free_running)
    try:
        verilog, manifest = emission.write(folder)
    except OSError as error:
        raise BadInput(f"cannot write into --output {folder}: {error.strerror}") from error
    print(f"{verilog}  {len(emission.verilog)} bytes\n{manifest}")
    print(
        f"latency {emission.manifest.latency_cycles} cycles, initiation interval {emission.manifest.initiation_interval_cycles}"
    )
    write_json(json, {
        "unit": design.unit.name, "parameters": design.params.as_dict(), "seed": seed, "verilog": str(verilog),
        "verilog_bytes": len(emission.verilog), "manifest": asdict(emission.manifest),
    })  # fmt: skip
    return 0


unit_commands(app, generate)
