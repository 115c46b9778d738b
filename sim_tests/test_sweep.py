# SPDX-License-Identifier: Apache-2.0
import collections
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import pandas as pd
import pytest
from distributed import LocalCluster

from sim_tests import cheap_point
from toolchain.eda import find_program
from toolchain.errors import ToolMissing
from trme import pool, sweep
from trme.catalog import UNITS
from trme.point import MEASURES, Point, fingerprint, measure

POINT = Point(
    "modmul", {"modulus": 251, "method": "fold", "no_dsp": True}, "ecp5-25k-8", "default", False, 1, None, (1,), ("lut",)
)
QUICK = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background of a shell
from sim_tests.cheap_point import slow
from trme import sweep
from trme.cli import main
sweep.measure = slow
sys.exit(main(sys.argv[1:]))
"""
TWENTY_FOUR = ["sweep", "modmul", "--grid", "modulus=100..111", "--grid", "method=exact,fold", "--jobs", "2", "--no-plots"]


@pytest.fixture
def cheap(monkeypatch, tmp_path):
    """Sweeps cost nothing, and what was called is told, in this folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweep, "measure", cheap_point.cheap)
    return lambda: collections.Counter(Path(cheap_point.LOG).read_text().splitlines())


@pytest.fixture
def placer():
    """Yosys and nextpnr are there."""
    try:
        return find_program("yosys"), find_program("nextpnr-ecp5")
    except ToolMissing as error:
        pytest.skip(str(error))


def test_sweep_writes_tidy_tables_marks_the_front_and_keeps_failures(trme, cheap):
    words = ["sweep", "modmul", "--grid", "modulus=11,13,17,19,23", "--grid", "method=exact,fold", "--freq", 550, "--seeds", 2]
    code, out, err = trme(*words, "-o", "out", "--json", "j.json")
    assert code == 1, err
    assert "10 points, 0 of them known before, 6 failed; Pareto front: 2" in out
    assert "failed    modulus=13 method=exact: modulus 13 has no luck" in out
    points = pd.read_csv("out/points.csv").set_index(["modulus", "method"])
    assert points.loc[(11, "fold"), "fmax_median_mhz"] == 589
    assert points.loc[(11, "fold"), "share_met"] == 1
    assert points.loc[(11, "exact"), "lut"] == 33
    assert points[points.pareto].index.tolist() == [(11, "exact"), (11, "fold")]
    assert points.failure[19, "fold"] == "the worker gave no answer: RuntimeError: nobody expects this"
    assert points.loc[(13, "fold"), ["lut", "fmax_median_mhz"]].isna().all()
    seeds = pd.read_csv("out/seeds.csv")
    assert len(seeds) == 8
    assert seeds.groupby("point").fmax_mhz.max()[points.point[11, "fold"]] == 589
    written = json.loads(Path("j.json").read_text())
    assert written == json.loads(Path("out/sweep.json").read_text())
    assert [point["pareto"] for point in written["points"]] == points.pareto.tolist()
    assert written["command"].startswith(
        "trme sweep modmul --grid modulus=11,13,17,19,23 --grid method=exact,fold --measure fmax,"
    )
    assert not list(Path("out").glob(".*partial*"))
    assert {path.name for path in Path("out").glob("*.png")} == {
        "fmax-against-area.png", "against-modulus.png", "against-method.png", "spread-over-seeds.png",
    }  # fmt: skip

    assert set(cheap().values()) == {1}
    code, out, _ = trme(*words, "-o", "out", "--format", "parquet", "--no-plots")
    assert code == 1
    assert "10 points, 6 of them known before, 6 failed" in out  # those that failed for now were tried again
    assert {line.split()[0] for line, n in cheap().items() if n == 2} == {"17", "19"}
    parquet = pd.read_parquet("out/points.parquet").set_index(["modulus", "method"])
    assert parquet.lut.dtype == "Int64"
    for name in points:
        assert parquet[name].isna().tolist() == points[name].isna().tolist(), name
        assert parquet[name].dropna().tolist() == points[name].dropna().tolist(), name


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL], ids=lambda blow: blow.name)
def test_sweep_of_24_points_goes_on_after_an_interrupt_without_repeating_one(tmp_path, blow):
    log = tmp_path / cheap_point.LOG
    command = [sys.executable, "-W", "error", "-c", QUICK, *TWENTY_FOUR]
    options = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    first = subprocess.Popen(command, **options)
    try:
        while not log.exists() or len(log.read_text().splitlines()) < 12:
            assert first.poll() is None, first.communicate()
            time.sleep(0.02)
        begin = time.monotonic()
        os.killpg(first.pid, blow)  # as a terminal does it
        _, err = first.communicate(timeout=20)
        assert time.monotonic() - begin < 5
    finally:
        first.kill()
    n_kept = len((tmp_path / "build/sweep/modmul/points.jsonl").read_text().splitlines())
    if blow == signal.SIGINT:
        assert first.returncode == 130, err
        assert err.splitlines() == [
            f"{n_kept} of 24 points are kept in build/sweep/modmul: the same command goes on from there", "trme: interrupted",
        ]  # fmt: skip
    done = subprocess.run(command, **options, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"24 points, {n_kept} of them known before, 0 failed" in done.stdout
    calls = collections.Counter(log.read_text().splitlines())
    assert len(calls) == 24
    # What the two processes had in hand when they were killed was not done, even if it had got as far as the log.
    assert sum(calls.values()) - 24 <= (2 if blow == signal.SIGKILL else 0)
    assert 10 <= n_kept < 24


def test_line_that_a_kill_cut_off_is_passed_over(cheap, tmp_path):
    points = [replace(POINT, parameters=POINT.parameters | {"modulus": modulus}) for modulus in (100, 101)]
    sweep.run(points, tmp_path, jobs=1)
    journal = tmp_path / sweep.JOURNAL
    text = journal.read_text()
    journal.write_text(text[: len(text) - 30])
    assert sweep.run(points, tmp_path, jobs=1).n_kept == 1
    assert sweep.run(points, tmp_path, jobs=1).n_kept == 2
    assert sorted(cheap().values()) == [1, 2]


def test_sweep_does_not_mind_that_dasks_own_port_is_taken(cheap, tmp_path):
    with socket.socket() as taken:
        try:
            taken.bind(("0.0.0.0", 8787))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which is as good
        found = sweep.run([replace(POINT, parameters=POINT.parameters | {"modulus": 100})], tmp_path, jobs=1)
    assert not found.failures


def test_sweep_on_a_scheduler_that_runs(trme, cheap):
    words = ["sweep", "modmul", "--grid", "modulus=100,101,102", "--scheduler"]
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        code, out, err = trme(*words, cluster.scheduler_address)
    assert code == 0, err
    assert "3 points, 0 of them known before, 0 failed" in out
    assert sum(cheap().values()) == 3


def test_scheduler_that_does_not_answer_is_named(trme, cheap, monkeypatch):
    monkeypatch.setattr(pool, "_ANSWER_S", 0.3)
    code, _, err = trme("sweep", "modmul", "--scheduler", "tcp://127.0.0.1:9")
    assert code == 2
    assert err.startswith("trme: --scheduler tcp://127.0.0.1:9 does not answer: ")
    assert err.endswith("; docs/sweeps.md shows how one is started\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--modulus", 5, "--grid", "modulus=5,7"], "modulus is given by itself and in --grid: leave out --modulus"),
        (["--modulus", 1000], "modulus must be an integer from 2 to 256, not 1000"),
        (["--grid", "modulus=1"], "--grid: modulus must be an integer from 2 to 256, not 1"),
        (["--measure", "speed"], "--measure 'speed' is not known: choose of fmax, lut"),
        (["--measure", ""], "--measure '' is not known"),
        (["--seeds", 0], "--seeds must be from 1 to 1000, not 0"),
        (["--jobs", 0], "--jobs must be from 1 to 1024, not 0"),
        (["--copies", 257], "--copies must be from 1 to 256, not 257"),
        (["--freq", "nan"], "--freq must be from 1 to 2000 MHz, not nan"),
        (["--format", "xls"], "--format must be one of csv, parquet, not 'xls'"),
        (["--device", "ecp6"], "there is no device 'ecp6'"),
        (["--strategy", "x"], "--strategy 'x' is not known"),
        (["--scheduler", "here"], "--scheduler 'here' must be the address of a Dask scheduler, such as tcp://login1:8786"),
        (["-o", "/proc/nothing"], "cannot write into --output /proc/nothing"),
    ],
    ids=str,
)
def test_bad_option_is_refused_before_anything_runs(trme, cheap, words, sentence):
    code, _, err = trme("sweep", "modmul", *words)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert not Path(cheap_point.LOG).exists()


def test_missing_package_is_named_before_anything_runs(trme, cheap, monkeypatch):
    monkeypatch.setattr("trme.commands.sweep.find_spec", lambda name: None if name == "pyarrow" else name)
    code, _, err = trme("sweep", "modmul", "--format", "parquet")
    assert code == 3
    assert err == "trme: the Python package pyarrow is missing, which a sweep needs: make setup EXTRAS=synth\n"


def test_combination_that_cannot_be_is_a_row_with_its_sentence():
    point = replace(POINT, parameters={"modulus": 251, "method": "exact", "no_dsp": True}, measures=("latency",))
    row = measure(point, fingerprint(point))
    assert row["is_lasting"]
    assert row["failure"].startswith("no_dsp goes with method fold")


def test_worker_with_other_sources_is_no_use():
    row = measure(POINT, "another")
    assert not row["is_lasting"]
    assert "another state of the workbench" in row["failure"]


def test_key_of_a_point_depends_on_all_that_is_asked():
    others = [replace(POINT, device="ecp5-25k-6"), replace(POINT, seeds=(2,)), replace(POINT, measures=("ff",)),
              replace(POINT, target_mhz=500.0), replace(POINT, streams=True), replace(POINT, copies=2)]  # fmt: skip
    assert len({point.key("x") for point in [POINT, *others]} | {POINT.key("y")}) == len(others) + 2


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_no_parameter_is_named_as_a_column(unit):
    taken = {column for item in MEASURES.values() for column in item.columns} | {field.name for field in fields(Point)}
    taken |= {"point", "seed", "fmax_mhz", "wall_s", "pareto", "failure"}
    assert not taken & {field.name for field in fields(unit.load("parameters"))}


def test_latency_alone_needs_no_tool(monkeypatch):
    monkeypatch.setattr("trme.point.find_program", lambda *_: pytest.fail("a tool was asked for"))
    point = replace(POINT, measures=("latency", "ii"))
    row = measure(point, fingerprint(point))
    assert row == {
        "failure": None, "is_lasting": True, "attempts": [],
        "latency_cycles": row["latency_cycles"], "initiation_interval_cycles": 1,
    }  # fmt: skip
    assert row["latency_cycles"] > 5


def test_real_sweep_of_two_points(placer, trme, tmp_path):
    words = ["sweep", "modmul", "--method", "fold", "--no-dsp", "--grid", "modulus=13,15", "--seeds", 1, "-o", tmp_path]
    code, _, err = trme(*words, "--measure", "fmax,lut,ff,dsp,latency,levels")
    assert code == 0, err
    points = pd.read_csv(tmp_path / "points.csv")
    assert (points.fmax_median_mhz > 100).all()
    assert (points.lut > 5).all()
    assert (points.dsp == 0).all()
    assert (points.logic_levels >= 1).all()
    assert points.failure.isna().all()
