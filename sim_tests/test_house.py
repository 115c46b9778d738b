# SPDX-License-Identifier: Apache-2.0
"""The house's own rules: who may import whom, what every unit has, and how the code looks."""

import ast
import itertools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sim_tests.conftest import ROOT
from trme.catalog import UNITS

# Per folder, what of ours it may import.
ARROWS = {
    "golden": set(),
    "toolchain": set(),
    "hdl": {"golden"},
    "cosim": {"hdl.manifest", "toolchain"},
    "synth": {"hdl.manifest", "toolchain"},
    "trme": {"cosim", "synth", "hdl", "golden", "toolchain"},
}  # fmt: skip
FOLDERS = {*ARROWS, "sim_tests"}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module


@pytest.mark.parametrize("folder", ARROWS)
def test_imports_point_down(folder):
    for path in (ROOT / folder).rglob("*.py"):
        for name in imports(path):
            if name.split(".")[0] in FOLDERS - {folder}:
                assert any(name == allowed or name.startswith(allowed + ".") for allowed in ARROWS[folder]), (
                    f"{path} imports {name}"
                )


def test_hdl_takes_only_parameters_and_algebras_from_golden():
    for path in (ROOT / "hdl").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("golden"):
                assert all(alias.name[0].isupper() for alias in node.names), f"{path} imports a model"


def test_manifest_imports_no_amaranth():
    assert not [name for name in imports(ROOT / "hdl" / "manifest.py") if name.startswith("amaranth")]
    code = "import sys, cosim; sys.exit('amaranth' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_unit_has_all_its_files(unit):
    for pattern in (
        "golden/{}.py", "hdl/{}.py", "trme/stimuli/{}.py", "sim_tests/test_{}.py", "sim_tests/bench_{}.py", "docs/{}.md",
    ):  # fmt: skip
        assert (ROOT / pattern.format(unit.family)).is_file(), pattern.format(unit.family)
    assert "# " in (ROOT / f"docs/{unit.family}.md").read_text()
    assert unit.name in (ROOT / f"docs/{unit.family}.md").read_text()
    for part in ("parameters", "model", "component", "stimuli"):
        assert unit.load(part).__doc__


def test_packages_are_listed_one_by_one():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        str(path.parent.relative_to(ROOT)).replace("/", ".")
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert set(listed) == found


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    names = {re.match(r"[\w-]+", requirement)[0].lower() for requirement in asked} - {"trme-workbench"}
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert names <= pinned


def test_source_files_name_their_licence():
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".cpp", ".vlt"):
                assert "SPDX-License-Identifier: Apache-2.0" in path.read_text().splitlines()[0], path


def test_ruff_has_nothing_to_say():
    ruff = Path(sys.executable).with_name("ruff")
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run([ruff, *command, ROOT], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_documents_link_to_what_is_there():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
