# SPDX-License-Identifier: Apache-2.0
"""``trme report``."""

import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from toolchain.errors import BadInput
from trme.measurements import Measurement, Plan
from trme.options import JsonFile, Seed, integer_option, write_json
from trme.publish import Publication
from trme.results import Row, read_rows

app = App(name="report")

_MOST_SEEDS = 1000


@app.default
def report(
    *,
    measure: Annotated[bool, Parameter(negative="", help="First measure what has no result yet, or another one's.")] = False,
    again: Annotated[bool, Parameter(negative="", help="With --measure: also what has a result.")] = False,
    only: Annotated[str | None, Parameter(help="With --measure: those with such names, as 'modmul-25?-fold*'.")] = None,
    seeds: Annotated[
        int | None, integer_option("With --measure: so many seeds, 1 to 1000, in place of each one's own number.")
    ] = None,
    jobs: Annotated[
        int | None, integer_option("With --measure: programs at a time. Default: as many as there are cores.")
    ] = None,
    check: Annotated[bool, Parameter(negative="", help="Write nothing; exit code 1 if something is not up to date.")] = False,
    root: Annotated[Path | None, Parameter(help="The checkout. Default: the one that this program is from.")] = None,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Write the results of synthesis in docs/results/ into README.md and docs/results.md; --measure makes them first."""
    _check(measure, again, only, seeds, jobs, check)
    root = root or Path(__file__).resolve().parent.parent.parent
    folder = root / "docs" / "results"
    plan = Plan.read(folder / "measurements.toml")
    chosen = _choose(plan, only)
    code = _measure(chosen, folder, again, seeds, jobs, seed) if measure else 0
    rows = read_rows(plan.rows, folder)
    publication = Publication(root, plan, rows)
    if check:
        stale = [*publication.stale_pages(), *([publication.plot] if publication.plot_is_stale() else [])]
        print("\n".join(f"stale     {path}: trme report writes it anew" for path in stale) or "all up to date")
        code = int(bool(stale))
    else:
        print("\n".join(f"written   {path}" for path in publication.write()) or "all up to date")
    write_json(json, {"seed": seed, "measurements": [_as_json(row) for row in rows.values()]})
    return code


def _check(measure, again, only, seeds, jobs, check) -> None:
    given = {"--again": again, "--only": only is not None, "--seeds": seeds is not None, "--jobs": jobs is not None}
    for name, is_given in given.items():
        if is_given and not measure:
            raise BadInput(f"{name} goes with --measure: add that, or leave {name} out")
    if check and measure:
        raise BadInput("--check writes nothing, and --measure does: give one of them")
    if seeds is not None and not 1 <= seeds <= _MOST_SEEDS:
        raise BadInput(f"--seeds must be from 1 to {_MOST_SEEDS}, not {seeds}")
    if jobs is not None and jobs < 1:
        raise BadInput(f"--jobs must be 1 or more, not {jobs}")


def _choose(plan: Plan, only: str | None) -> tuple[Measurement, ...]:
    chosen = tuple(row for row in plan.rows if only is None or fnmatchcase(row.name, only))
    if not chosen:
        raise BadInput(
            f"--only {only!r} is the name of no measurement: docs/results/measurements.toml has them all, "
            f"such as {plan.rows[0].name}"
        )
    return chosen


def _measure(chosen, folder: Path, again: bool, seeds: int | None, jobs: int | None, seed: int) -> int:
    """Measure one after the other; 1 if one failed or missed what it should reach."""
    from trme.measuring import measure, order, unavailable

    width = max(len(row.name) for row in chosen)
    skipped = {row.name: reason for row in chosen if (reason := unavailable(row))}
    # What cannot be is said before anything runs.
    orders = {row.name: order(row, seeds, seed) for row in chosen if row.name not in skipped}
    code = 0
    for row in chosen:
        if row.name in skipped:
            print(f"{row.name:{width}}  skipped: {skipped[row.name]}", flush=True)
            continue
        asked = orders[row.name]
        begin, how = time.monotonic(), "known before"
        known = _known(row, folder)
        if known is None or again or seeds or not known.is_done(asked.emission.manifest.verilog_sha256):
            measure(row, asked, folder, jobs)
            how = f"{time.monotonic() - begin:.0f} s"
        found = read_rows((row,), folder)[row.name]
        print(f"{row.name:{width}}  {_say(found)}, {how}", flush=True)
        code = code or int(bool(found.misses))
    return code


def _known(row: Measurement, folder: Path) -> Row | None:
    """What is there already; nothing if it cannot be used."""
    try:
        return read_rows((row,), folder)[row.name]
    except BadInput:
        return None


def _say(row: Row) -> str:
    found = row.outcome
    if not found or found.median_mhz is None:
        return f"FAILED: {'; '.join(row.misses)}"
    naive = f", {found.naive.times:.1f} times naive" if found.naive and found.naive.times else ""
    verdict = f"MISSED: {'; '.join(row.misses)}; " if row.misses else ""
    return f"{verdict}median {found.median_mhz:.1f}, slowest seed {found.fmax_mhz[0]:.1f} MHz of {found.n_seeds}{naive}"


def _as_json(row: Row) -> dict[str, Any]:
    found = row.outcome
    return {
        "name": row.measurement.name, "command": row.measurement.command(), "verdict": row.verdict, "misses": row.misses,
        "remark": row.remark, "fmax_mhz": list(found.fmax_mhz) if found else [],
        "median_mhz": found.median_mhz if found else None, "asked_median_mhz": row.measurement.median,
        "asked_lowest_mhz": row.measurement.lowest,
    }  # fmt: skip
