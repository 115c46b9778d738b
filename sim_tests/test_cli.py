# SPDX-License-Identifier: Apache-2.0
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trme.catalog import UNITS

UNIT_NAMES = [unit.name for unit in UNITS]


def in_a_process(*words, **options):
    command = [sys.executable, "-m", "trme", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def bad_command_lines():
    """200 command lines, each with one thing wrong: commands, names, types, ranges, choices, files and folders."""
    rng = random.Random(20261130)
    word = lambda: "".join(rng.choices("abcdefghijklmnopqrstuvwxyzäß-_", k=rng.randint(1, 9))).strip("-") or "x"  # noqa: E731
    not_integer = lambda: rng.choice(["", "x", "1.5", "1e3", "0x", "--", "None", "ten", "1,000", "∞", word()])  # noqa: E731
    outside = lambda low, high: str(rng.choice([low - 1, high + 1, -high, 10 ** rng.randint(19, 40), low - 10**9]))  # noqa: E731
    ranges = {
        "systolic": {"rows": (1, 256), "cols": (1, 256), "width": (2, 32), "depth": (1, 65536)},
        "modmul": {"modulus": (2, 256)},
    }
    no_folder = ["/proc/nothing", "/dev/null/x", "/sys/x/y", "/etc/hostname/x"]

    def unit_line():
        command, name = rng.choice(["generate", "compare"]), rng.choice(UNIT_NAMES)
        parameter, (low, high) = rng.choice(list(ranges[name].items()))
        choices = {"systolic": "--semiring", "modmul": "--method"}[name]
        return rng.choice([
            [command, word() + "q"],
            [command],
            [command, name, f"--{parameter}", not_integer()],
            [command, name, f"--{parameter}", outside(low, high)],
            [command, name, f"--{parameter}"],
            [command, name, choices, word()],
            [command, name, f"--{word()}q", "1"],
            [command, name, word()],
            [command, name, "--seed", outside(0, (1 << 63) - 1)],
            [command, name, "--seed", not_integer()],
            [command, name, "--json"],
            ["generate", name, "-o", rng.choice(no_folder)],
            ["generate", name, "-o"],
            ["generate", name, "--top", rng.choice(["1a", "a b", "", "a.b", "ä", "module;"])],
            ["generate", name, "--json", rng.choice(no_folder), "-o", "/tmp/trme-test-bad-lines"],
            ["compare", name, "--vectors", rng.choice(["0", "-1", str(10**9 + 1), "some", "", "1.0"])],
            ["compare", name, "--start", rng.choice(["-1", "x"])],
            ["compare", name, "--stall", rng.choice(["1", "-0.1", "2", "nan", "inf", "x"])],
            ["compare", name, "--verilog", rng.choice(["/nonexistent.v", "/", "/proc/self/mem"])],
            ["compare", name, "--verilator", rng.choice(["/nonexistent", "/bin/true", "/etc/passwd", "/"])],
            ["compare", "systolic", "--vectors", "all"],
            ["generate", "systolic", "--semiring", "plus-times", "--width", "32", "--depth", str(rng.randint(2, 65536))],
        ])  # fmt: skip

    def other_line():
        return rng.choice([
            [word() + "q"],
            [f"--{word()}q"],
            ["list", word()],
            ["list", "--seed", not_integer()],
            ["doctor", "--verilator", "/nonexistent"] if rng.random() < 0.2 else ["doctor", word()],
            ["sim", word() + "q"],
            ["sim", "modmul", "-o", rng.choice(no_folder)],
            ["sim", "--verilator", rng.choice(["/nonexistent", "/bin/true"])],
            ["sim", "--seed", "-5"],
            ["run"],
            ["run", word() + "q"],
            ["run", "shortest-paths", "--graph", rng.choice(["/nonexistent", word() + "q", "", "/", "/dev/null"])],
            ["run", "shortest-paths", "--rows", outside(1, 256)],
            ["run", "shortest-paths", "--width", rng.choice(["1", "33", "x"])],
            ["run", "shortest-paths", "--source", "1"],
            ["run", "shortest-paths", "--source", word() + "q", "--target", "1"],
        ])  # fmt: skip

    return [unit_line() if n % 3 else other_line() for n in range(200)]


@pytest.mark.parametrize(
    "words", bad_command_lines(), ids=lambda words: " ".join(words)[:60].encode("ascii", "replace").decode()
)
def test_bad_command_line_gives_one_sentence_and_no_traceback(trme, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = trme(*words)
    assert code == (3 if words[0] == "doctor" and "/nonexistent" in words else 2), err
    if code == 2:
        lines = err.strip().splitlines()
        assert len([line for line in lines if line.startswith("trme: ")]) == 1, err
        assert lines[-1].startswith("trme: ")
        assert "Traceback" not in err
    assert not list(tmp_path.rglob("*.v"))


@pytest.mark.parametrize("words", [["generate", "modmul", "--modulus", "1"], ["nonsense"], ["sim", "--verilator", "/bin/true"]])
def test_bad_command_line_as_a_process(words):
    done = in_a_process(*words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_missing_tool_gives_code_3_and_what_to_install(tmp_path, trme, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for words in (["compare", "modmul"], ["sim"], ["run", "shortest-paths"]):
        code, _, err = trme(*words)
        assert code == 3
        assert err == "trme: g++ is not on PATH: install it (Debian, Ubuntu: apt install g++)\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_folder_without_permission_is_named(trme, tmp_path):
    tmp_path.chmod(0o500)
    code, _, err = trme("generate", "modmul", "-o", tmp_path / "x")
    assert code == 2
    assert "Permission denied" in err


def test_list_names_every_unit(trme, tmp_path):
    code, out, _ = trme("list", "--json", tmp_path / "list.json")
    assert code == 0
    written = json.loads((tmp_path / "list.json").read_text())
    assert [unit["unit"] for unit in written["units"]] == UNIT_NAMES
    for name in UNIT_NAMES:
        assert name in out


def test_list_and_help_import_nothing_heavy():
    for words in ("['list']", "['--help']", "['compare', '--help']"):
        code = (
            f"import sys; from trme.cli import main; main({words})\n"
            "print([m for m in ('amaranth', 'scipy', 'networkx', 'cocotb') if m in sys.modules], file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("name", UNIT_NAMES)
def test_help_has_range_unit_and_default_of_every_parameter(trme, name):
    _, out, _ = trme("generate", name, "--help")
    text = " ".join(out.replace("│", " ").split())
    if name == "systolic":
        assert "Height of the array, 1 to 256 processing elements. [default: 4]" in text
        assert "Operand size, two's complement, 2 to 32 bits. [default: 16]" in text
        assert "min-plus | max-plus | plus-times. [default: min-plus]" in text
    else:
        assert "Modulus m, 2 to 256. [default: 251]" in text


def test_script_and_module_are_one_entry_point():
    script = subprocess.run([Path(sys.executable).with_name("trme"), "list"], capture_output=True, text=True)
    assert script.stdout == in_a_process("list").stdout


def test_output_into_a_closed_pipe_is_no_traceback():
    done = subprocess.run(
        f'"{sys.executable}" -m trme generate systolic --help | true', shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr


def test_generate_writes_json_with_the_manifest(trme, tmp_path):
    code, out, _ = trme("generate", "systolic", "--rows", 2, "-o", tmp_path / "a b", "--top", "mine", "--json", tmp_path / "j")
    assert code == 0
    assert (tmp_path / "a b" / "mine.v").exists()
    written = json.loads((tmp_path / "j").read_text())
    assert written["manifest"]["top"] == "mine"
    assert written["parameters"]["rows"] == 2
    assert "latency 14 cycles, initiation interval 1" in out


def test_interrupt_ends_a_comparison_with_one_sentence(tools):
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also in the background of a shell
        "from trme.cli import main; sys.exit(main(['compare', 'modmul', '--vectors', '1000000000']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline().startswith("modmul")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "trme: interrupted\n")
