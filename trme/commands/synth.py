# SPDX-License-Identifier: Apache-2.0
"""``trme synth``."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from synth import flow
from synth.devices import GENERIC, Device, find_device
from toolchain.errors import BadInput
from trme import synthesis
from trme.design import Design
from trme.options import OPTIONS, JsonFile, Seed, integer_option, unit_commands, write_json
from trme.order import Order, baseline_in_words
from trme.progress import Progress

app = App(name="synth", group_parameters=OPTIONS)

_MOST_SEEDS = 1000
_LARGEST_TARGET_MHZ = 2000.0


def synth(
    design: Design,
    *,
    device: Annotated[str, Parameter(help="Device, as 'trme devices' lists them, or 'generic'.")] = "ecp5-25k-8",
    freq: Annotated[
        float | None, Parameter(help="Target in MHz: the median must reach it. Default: aim high, judge nothing.")
    ] = None,
    seeds: Annotated[int, integer_option("Place and route with so many seeds, 1 to 1000.")] = 4,
    strategy: Annotated[str, Parameter(help=f"How the tools try: {' | '.join(flow.STRATEGIES)}.")] = "default",
    explore: Annotated[bool, Parameter(negative="", help="Try all strategies with all seeds, and say what won.")] = False,
    streams: Annotated[
        bool, Parameter(negative="", help="The unit with its stream wrapper, not the free-running core.")
    ] = False,
    copies: Annotated[int, integer_option("Instances side by side, 1 to 256.")] = 1,
    verify: Annotated[
        str | None, Parameter(help="Run so many vectors, or 'all', through the synthesised netlist, against golden.")
    ] = None,
    baseline: Annotated[
        bool, Parameter(negative="", help="Also measure the unit's naive form in the same way, and say the ratio.")
    ] = False,
    bitstream: Annotated[str | None, Parameter(help="Also a self-test for this board, as 'trme devices' lists them.")] = None,
    jobs: Annotated[int | None, integer_option("Programs at a time. Default: as many as there are cores.")] = None,
    native: Annotated[bool, Parameter(negative="", help="Yosys and nextpnr from PATH, not the Python packages'.")] = False,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="Folder for netlist, reports and plots. Default: build/synth/UNIT."),
    ] = None,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Timing and area of a unit on a device, over seeds."""
    chosen = None if device == GENERIC else find_device(device)
    _check(freq, seeds, strategy, copies, jobs, verify)
    if baseline:
        _check_baseline(design, chosen)
    folder = output or Path("build/synth") / design.unit.name
    emission = design.emit(free_running=not streams)
    print(f"{design.unit.name} {design.configuration}, {'with streams' if streams else 'free-running core'}\nseed {seed}")
    sys.stdout.flush()
    if chosen is None:
        return _generic(design, emission, streams, native, seed, json)
    strategies = tuple(flow.STRATEGIES) if explore else (strategy,)
    order = Order(design, chosen, freq, seeds, seed, strategies, streams, copies, native)
    result = _place(order, jobs)
    print(synthesis.describe(result, emission.manifest, copies, seed))
    code = 1 if result.met is False else 0
    outcome = synthesis.as_json(result, design, emission.manifest, streams=streams, copies=copies, seed=seed)
    if baseline:
        outcome["baseline"] = order.place_baseline(result, jobs)
        print(f"baseline  {baseline_in_words(outcome['baseline'])}")
        code = code or int(outcome["baseline"]["failure"] is not None)
    synthesis.write_results(result, design, emission, folder)
    if verify:
        comparison = synthesis.verify(design, emission, result, verify, seed)
        outcome["verified"] = {"vectors": comparison.vectors, "mismatches": comparison.mismatches}
        print(synthesis.verdict(comparison))
        code = code or int(comparison.first_divergence is not None)
    if bitstream:
        from trme.selftest import build_bitstream

        built = build_bitstream(design, bitstream, folder, native=native, jobs=jobs, seed=seed)
        print(built.in_words())
        outcome["bitstream"] = built.as_json()
        code = code or int(not built.met)
    write_json(json, outcome)
    if result.failure:
        raise result.failure
    return code


def _check(freq, seeds, strategy, copies, jobs, verify) -> None:
    if freq is not None and not 1 <= freq <= _LARGEST_TARGET_MHZ:
        raise BadInput(f"--freq must be from 1 to {_LARGEST_TARGET_MHZ:g} MHz, not {freq:g}")
    if not 1 <= seeds <= _MOST_SEEDS:
        raise BadInput(f"--seeds must be from 1 to {_MOST_SEEDS}, not {seeds}")
    if not 1 <= copies <= 256:
        raise BadInput(f"--copies must be from 1 to 256, not {copies}")
    if jobs is not None and jobs < 1:
        raise BadInput(f"--jobs must be 1 or more, not {jobs}")
    if verify is not None and verify != "all" and not (verify.isdecimal() and int(verify) >= 1):
        raise BadInput(f"--verify must be a number of vectors from 1, or 'all', not {verify!r}")
    flow.check_strategy(strategy)


def _check_baseline(design: Design, device: Device | None) -> None:
    design.baseline()
    if device is None:
        raise BadInput(f"--baseline compares timing, and --device {GENERIC} has none: name a device")


def _place(order: Order, jobs: int | None) -> flow.Result:
    progress = Progress("runs", order.n_runs)
    try:
        with progress:
            return order.place(jobs, progress.update)
    except KeyboardInterrupt:
        print(f"{progress.done} of {order.n_runs} runs are kept: the same command goes on from there", file=sys.stderr)
        raise


def _generic(design: Design, emission, streams: bool, native: bool, seed: int, json: Path | None) -> int:
    from synth import generic

    result = generic.run(emission, native=native)
    print(synthesis.describe_generic(result))
    write_json(json, synthesis.generic_as_json(result, design, emission.manifest, streams=streams, seed=seed))
    return 0


unit_commands(app, synth)
