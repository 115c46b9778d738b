# SPDX-License-Identifier: Apache-2.0
"""The measuring wrapper: a unit between registers, with four pins whatever its width::

    serial_in -> |feed: a shift register over all inputs|      rst -> |reset, two registers|
                       |   |   |   |                                    |
                              unit <------------------------------------+
                       |   |   |   |
                 |capture: a register on every output|
                       |   |   |   |
                 |chain: shifts, and takes each captured bit in by an exclusive or| -> serial_out

Every input bit comes from a register of its own, so nothing is constant; every output bit reaches the pin, so nothing is
unused; and all paths of the unit lie between registers, so that a timing report covers them. The unit stays a module of its
own in synthesis: its registers are never merged with the wrapper's, and its cells can be counted apart.

Of several copies each has all of this, and what leaves one goes into the next, with `_HOPS` registers more on the way: copies
lie apart, and it is they that are to be measured, not the way between them.
"""

from hdl.manifest import Manifest

__all__ = ["WRAPPER", "wrap"]

WRAPPER = "trme_bench"
"""The wrapper's module name."""
_HOPS = 2


def wrap(manifest: Manifest, copies: int = 1) -> str:
    """Verilog of the wrapper around ``copies`` instances of the unit, each a module named as the manifest says."""
    lines = [f"module {WRAPPER} (input clk, input rst, input serial_in, output serial_out);"]
    before = {"reset": "rst", "feed": "serial_in", "chain": "1'b0"}
    for copy in range(copies):
        lines += _copy(manifest, str(copy or ""), before, is_last=copy + 1 == copies)
    return "\n".join([*lines, "endmodule\n"])


def _copy(manifest: Manifest, n: str, before: dict[str, str], *, is_last: bool) -> list[str]:
    """One copy with its registers, whose names end in ``n``; ``before`` says what they follow, and then what follows them."""
    inputs, outputs = _widths(manifest)
    hops = 0 if is_last else _HOPS
    reset, feed, capture, chain, results = (f"{name}{n}" for name in ("reset", "feed", "capture", "chain", "results"))
    kept = "0" if is_last else f"{hops}:0"
    lines = [f"  reg [{1 + hops}:0] {reset};", f"  always @(posedge clk) {reset} <= {{{reset}[{kept}], {before['reset']}}};"]
    before["reset"] = f"{reset}[{1 + hops}]"
    if inputs:
        lines += [f"  reg [{inputs + hops - 1}:0] {feed};", f"  always @(posedge clk) {feed} <= {{{feed}, {before['feed']}}};"]
        before["feed"] = f"{feed}[{inputs + hops - 1}]"
    lines += [f"  wire [{outputs - 1}:0] {results};"]
    if is_last:
        lines += [f"  reg [{outputs - 1}:0] {capture}, {chain};"]
    else:
        lines += [f"  reg [{outputs - 1}:0] {capture};", f"  reg [{outputs + hops - 1}:0] {chain};"]
    lines += [
        "  always @(posedge clk) begin", f"    {capture} <= {results};",
        f"    {chain} <= {{{chain}, {before['chain']}}} ^ {capture};", "  end",
    ]  # fmt: skip
    before["chain"] = f"{chain}[{outputs + hops - 1}]"
    if is_last:
        lines += [f"  assign serial_out = {before['chain']};"]
    return [*lines, *_instance(manifest, n)]


def _instance(manifest: Manifest, n: str) -> list[str]:
    connections = []
    taken = {"input": 0, "output": 0}
    for port in manifest.ports:
        if port.name == manifest.clock:
            actual = "clk"
        elif port.name == manifest.reset:
            actual = f"reset{n}[1]"
        else:
            bus = "feed" if port.direction == "input" else "results"
            actual = f"{bus}{n}[{taken[port.direction]} +: {port.width}]"
            taken[port.direction] += port.width
        connections.append(f"    .{port.name}({actual})")
    return [f"  {manifest.top} core{n} (", ",\n".join(connections), "  );"]


def _widths(manifest: Manifest) -> tuple[int, int]:
    """Bits of all inputs but clock and reset, and of all outputs."""
    own = (manifest.clock, manifest.reset)
    inputs = sum(port.width for port in manifest.ports if port.direction == "input" and port.name not in own)
    outputs = sum(port.width for port in manifest.ports if port.direction == "output")
    return inputs, outputs
