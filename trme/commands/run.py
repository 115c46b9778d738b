# SPDX-License-Identifier: Apache-2.0
"""``trme run``: real problems solved on the hardware, one command each."""

from cyclopts import App

from toolchain.errors import BadInput

app = App(name="run")

_WORKLOADS = {
    "digits": "Handwritten digits: a small network's int8 inference and its training, by products on the systolic array.",
    "shortest-paths": "All-pairs shortest paths of a graph, by min-plus products on the systolic array.",
}

for _name, _help in _WORKLOADS.items():
    app.command(f"trme.workloads.{_name.replace('-', '_')}:app", name=_name, help=_help)


@app.default
def no_workload() -> int:
    """Say what there is."""
    raise BadInput(f"trme run needs a workload: {', '.join(_WORKLOADS)}")
