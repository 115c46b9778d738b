# SPDX-License-Identifier: Apache-2.0
"""From Verilog and a manifest to a model that runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from cosim.isolated import IsolatedModel
from cosim.model import Model
from hdl.manifest import Manifest
from toolchain.verilator import Tools, build_library

__all__ = ["build", "verilator_flags"]

_HARNESS = Path(__file__).with_name("harness.cpp")


def build(
    verilog: str,
    manifest: Manifest,
    tools: Tools | None = None,
    *,
    more: dict[str, str] | None = None,
    trace: str | None = None,
    savable: bool = False,
    memories: Sequence[str] = (),
    isolated: bool = False,
) -> Model:
    """Verilate and compile, or take the result kept from before, and start the model in reset's wake.

    Parameters
    ----------
    verilog : str
        The Verilog's text.
    manifest : Manifest
    tools : Tools, optional
        Found on this machine by default.
    more : dict of str to str
        More files by name, such as simulation models of cells.
    trace : {"vcd", "fst"}, optional
        Makes `Model.trace` work; the model runs slower.
    savable : bool
        Makes `Model.save` and `Model.restore` work.
    memories : sequence of str
        Memories that `Model.load_memory` and `Model.read_memory` reach, as ``MODULE.VARIABLE``.
    isolated : bool
        An `IsolatedModel` with the same methods, in a process of its own: a crash is an exception here. Costs a copy of
        the arrays.

    Raises
    ------
    ToolFailed
        If Verilator or the compiler refuses.
    """
    tools = tools or Tools.find()
    table = "\n".join(f"    case {n}: return &model.{_cpp_name(port.name)};" for n, port in enumerate(manifest.ports))
    harness = (
        '#include "Vmodel.h"\n'
        f"static void *port_address(Vmodel &model, int index) {{\n  switch (index) {{\n{table}\n  }}\n  return nullptr;\n}}\n"
        f"static CData &clock_of(Vmodel &model) {{ return model.{_cpp_name(manifest.clock)}; }}\n"
        f"static CData &reset_of(Vmodel &model) {{ return model.{_cpp_name(manifest.reset)}; }}\n"
    ) + _HARNESS.read_text()
    sources = {f"{manifest.top}.v": verilog, **(more or {})}
    if memories:
        lines = (f'public_flat_rw -module "{m}" -var "{v}"' for m, v in (name.rsplit(".", 1) for name in memories))
        sources["memories.vlt"] = "\n".join(["`verilator_config", *lines, ""])
    flags = verilator_flags(verilog)
    library = build_library(tools, sources, top=manifest.top, harness=harness, flags=flags, trace=trace, savable=savable)
    return cast(Model, IsolatedModel(library, manifest)) if isolated else Model(library, manifest)


def verilator_flags(verilog: str) -> tuple[str, ...]:
    """What Verilator is told besides, so that the model is fast.

    Its data-flow optimiser would look through the inputs that keep repeated blocks one function (see `hdl.parts`).
    """
    return ("-fno-dfg",) if "/*verilator public_flat_rd*/" in verilog else ()


def _cpp_name(port: str) -> str:
    """A port's name in the C++ that Verilator makes, where two underscores in a row are its own."""
    return port.replace("__", "___05F")
