# SPDX-License-Identifier: Apache-2.0
import re
import shutil
import subprocess
import sys

import pytest

from sim_tests.conftest import ROOT
from toolchain.eda import find_program
from toolchain.process import run
from toolchain.verilator import lint
from trme.catalog import UNITS, find
from trme.design import Design

WAIVERS = (ROOT / "hdl" / "lint.vlt").read_text()

EMITTED = [(unit.name, parameters) for unit in UNITS for parameters in unit.configurations] + [
    ("modmul", {"modulus": m, "method": method}) for m in (3, 17, 255) for method in ("exact", "classic")
] + [("systolic", {"rows": r, "cols": c, "semiring": s, "width": w})
     for r, c in ((1, 7), (7, 1), (16, 16)) for s in ("min-plus", "max-plus", "plus-times") for w in (2, 16)] + [
    ("systolic", {"pe": "compact", "semiring": s, "width": w}) for s in ("min-plus", "max-plus") for w in (2, 16)
]  # fmt: skip


def identify(value):
    return "-".join(map(str, value.values())) if isinstance(value, dict) else value


@pytest.fixture(params=[False, True], ids=["streams", "core"])
def free_running(request):
    return request.param


@pytest.mark.parametrize(("name", "parameters"), EMITTED, ids=identify)
def test_emitted_verilog_is_clean_and_has_no_division(design, tools, name, parameters, free_running):
    emission = design(name, **parameters).emit(free_running=free_running)
    code = re.sub(r"/\*.*?\*/|//.*", "", emission.verilog)
    assert not re.findall(r"[/%]", code)
    assert lint(tools, {"lint.vlt": WAIVERS, "unit.v": emission.verilog}, top=emission.manifest.top) == []


@pytest.mark.parametrize("name", [unit.name for unit in UNITS])
def test_lint_sees_faults_that_no_waiver_is_meant_for(design, tools, name):
    emission = design(name).emit()
    broken = emission.verilog.replace(
        "endmodule", "  reg [3:0] forgotten;\n  wire loose;\n  assign loose = nothing;\nendmodule", 1
    )
    assert lint(tools, {"lint.vlt": WAIVERS, "unit.v": broken}, top=emission.manifest.top)


@pytest.mark.parametrize("name", [unit.name for unit in UNITS])
def test_yosys_reads_it_and_finds_no_division_cell(design, tmp_path, name):
    design(name).emit().write(tmp_path)
    script = f"read_verilog {name}.v; hierarchy -check -top {name}; proc; flatten; check -assert; stat"
    printed = run([find_program("yosys").path, "-p", script], cwd=tmp_path)
    cells = set(re.findall(r"\$\w+", printed))
    assert "$mul" in cells or name == "systolic"
    assert not cells & {"$div", "$mod", "$divfloor", "$modfloor"}


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="iverilog is not on PATH: apt install iverilog")
@pytest.mark.parametrize("name", [unit.name for unit in UNITS])
def test_icarus_compiles_it_as_verilog_2005(design, tmp_path, name):
    path, _ = design(name).emit().write(tmp_path)
    run(["iverilog", "-g2005", "-Wall", "-o", tmp_path / "out", path])


@pytest.mark.parametrize("name", [unit.name for unit in UNITS])
def test_same_parameters_give_the_same_bytes_in_another_process_and_folder(design, tmp_path, name):
    here = design(name).emit().write(tmp_path / "here")
    code = f"import sys; from trme.cli import main; sys.exit(main(['generate', '{name}', '-o', 'there']))"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    for path in here:
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes()


def test_text_grows_with_rows_and_columns_not_with_their_product(design):
    sizes = {n: len(design("systolic", rows=n, cols=n).emit().verilog) for n in (16, 32, 64)}
    assert sizes[16] < 30_000
    assert sizes[64] < 60_000
    assert sizes[64] - sizes[32] < 2.2 * (sizes[32] - sizes[16])


def test_array_keeps_its_size_as_verilog_parameters(design):
    verilog = design("systolic", rows=3, cols=5).emit().verilog
    assert re.search(r"module \w+_array #\(parameter COLS = 5, parameter ROWS = 3\)", verilog)


def test_top_can_be_renamed_and_nothing_else_keeps_the_old_name(design):
    emission = design("systolic").emit(top="mine")
    assert "module mine(" in emission.verilog
    assert "systolic" not in emission.verilog
    assert find("systolic").name == emission.manifest.unit


def test_failed_write_leaves_no_half_written_file(design, tmp_path, monkeypatch):
    emission = design("modmul").emit()
    emission.write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "modmul.v.partial").mkdir()
    with pytest.raises(OSError):
        Design(find("modmul"), find("modmul").load("parameters")(modulus=7)).emit().write(tmp_path)
    (tmp_path / "modmul.v.partial").rmdir()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
