# SPDX-License-Identifier: Apache-2.0
"""The measuring wrapper: a unit between registers, with four pins whatever its width::

    serial_in -> |feed: a shift register over all inputs|      rst -> |reset, two registers|
                       |   |   |   |                                    |
                    unit, or several copies of it side by side <--------+
                       |   |   |   |
                 |capture: a register on every output|
                       |   |   |   |
                 |chain: shifts, and takes each captured bit in by an exclusive or| -> serial_out

Every input bit comes from a register of its own, so nothing is constant; every output bit reaches the pin, so nothing is
unused; and all paths of the unit lie between registers, so that a timing report covers them. The unit stays a module of its
own in synthesis: its registers are never merged with the wrapper's, and its cells can be counted apart.
"""

from hdl.manifest import Manifest

__all__ = ["WRAPPER", "wrap"]

WRAPPER = "trme_bench"
"""The wrapper's module name."""


def _widths(manifest: Manifest, copies: int) -> tuple[int, int]:
    """Bits of all inputs but clock and reset, and of all outputs."""
    own = (manifest.clock, manifest.reset)
    inputs = sum(port.width for port in manifest.ports if port.direction == "input" and port.name not in own)
    outputs = sum(port.width for port in manifest.ports if port.direction == "output")
    return copies * inputs, copies * outputs


def wrap(manifest: Manifest, copies: int = 1) -> str:
    """Verilog of the wrapper around ``copies`` instances of the unit, each a module named as the manifest says."""
    inputs, outputs = _widths(manifest, copies)
    lines = [f"module {WRAPPER} (input clk, input rst, input serial_in, output serial_out);"]
    lines += ["  reg [1:0] reset;", "  always @(posedge clk) reset <= {reset[0], rst};"]
    if inputs:
        lines += [f"  reg [{inputs - 1}:0] feed;", "  always @(posedge clk) feed <= {feed, serial_in};"]
    lines += [f"  wire [{outputs - 1}:0] results;", f"  reg [{outputs - 1}:0] capture, chain;"]
    lines += ["  always @(posedge clk) begin", "    capture <= results;", "    chain <= {chain, 1'b0} ^ capture;", "  end"]
    lines += [f"  assign serial_out = chain[{outputs - 1}];"]
    taken = {"input": 0, "output": 0}
    for copy in range(copies):
        connections = []
        for port in manifest.ports:
            if port.name == manifest.clock:
                actual = "clk"
            elif port.name == manifest.reset:
                actual = "reset[1]"
            else:
                bus = "feed" if port.direction == "input" else "results"
                actual = f"{bus}[{taken[port.direction]} +: {port.width}]"
                taken[port.direction] += port.width
            connections.append(f"    .{port.name}({actual})")
        lines += [f"  {manifest.top} core{copy or ''} (", ",\n".join(connections), "  );"]
    return "\n".join([*lines, "endmodule\n"])
