# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several tests use."""

from pathlib import Path

import pytest

from toolchain.verilator import Tools
from trme.catalog import find
from trme.design import Design

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items):
    """Whatever asks for the tools builds models with them."""
    for item in items:
        if "tools" in item.fixturenames:
            item.add_marker(pytest.mark.simulator)


@pytest.fixture(scope="session")
def tools() -> Tools:
    """The tools of this machine, with the user's own cache: what was built once is not built again."""
    return Tools.find()


@pytest.fixture
def design():
    """Makes a design from a unit's name and parameters."""

    def make(name: str, **parameters) -> Design:
        unit = find(name)
        return Design(unit, unit.load("parameters")(**parameters))

    return make


@pytest.fixture
def trme(capsys):
    """Runs a command line in this process: exit code, stdout, stderr."""
    from trme.cli import main

    def run(*words) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run
