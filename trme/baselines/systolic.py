# SPDX-License-Identifier: Apache-2.0
"""The systolic array with all that an element does in one cycle."""

from golden.systolic import SystolicParams
from hdl.manifest import Manifest
from trme.baselines import Baseline

__all__ = ["naive_systolic"]

_TROPICAL = """\
  wire signed [{width}:0] sum = a_i + b_i;
  wire signed [{width_1}:0] term = a_i == {infinity} || b_i == {infinity} ? {infinity}
    : sum < {least} ? {least} : sum > {most} ? {most} : sum;
  wire signed [{width_1}:0] added = total {better} term ? total : term;
"""
_PLUS_TIMES = """\
  wire signed [{product}:0] term = a_i * b_i;
  wire signed [{result}:0] added = total + term;
"""
_VERILOG = """\
module naive_element (
  input clk,
  input signed [{width_1}:0] a_i, b_i, input signed [{result}:0] drain_i, input valid_i, first_i, last_i, shift_i,
  output reg signed [{width_1}:0] a_o, b_o, output reg signed [{result}:0] drain_o,
  output reg valid_o, first_o, last_o, shift_o
);
  reg signed [{result}:0] total;
{algebra}\
  wire signed [{result}:0] now = first_i ? term : added;
  always @(posedge clk) begin
    {{a_o, b_o}} <= {{a_i, b_i}};
    {{valid_o, first_o, last_o, shift_o}} <= {{valid_i, first_i, last_i, shift_i}};
    if (valid_i) total <= now;
    if (valid_i && last_i) drain_o <= now;
    else if (shift_i) drain_o <= drain_i;
  end
endmodule

module naive_delay #(parameter WIDTH = 1, parameter CYCLES = 1) (input clk, input [WIDTH-1:0] i, output [WIDTH-1:0] o);
  reg [WIDTH*CYCLES-1:0] line;
  wire [WIDTH*(CYCLES+1)-1:0] taps = {{line, i}};
  always @(posedge clk) line <= taps[WIDTH*CYCLES-1:0];
  assign o = taps[WIDTH*CYCLES +: WIDTH];
endmodule

module naive_systolic #(parameter ROWS = {rows}, parameter COLS = {cols}, parameter W = {width}, parameter Z = {result} + 1) (
  input clk, input rst,
  input [(ROWS+COLS)*W:0] i__payload, input i__valid,
  output [COLS*Z:0] o__payload, output o__valid
);
  // What enters: a transfer, and whether it begins a tile.
  wire last = i__payload[(ROWS+COLS)*W];
  reg first;
  always @(posedge clk)
    if (rst) first <= 1;
    else if (i__valid) first <= last;

  // The array; place 0 is the top, where row ROWS-1 of the result is.
  wire [W-1:0] a [0:ROWS-1][0:COLS], b [0:ROWS][0:COLS-1];
  wire [Z-1:0] drain [0:ROWS][0:COLS-1];
  wire [3:0] control [0:ROWS-1][0:COLS];
  reg [ROWS:0] shifting;
  genvar r, c;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : rows
      naive_delay #(W, r + 1) delay_a (clk, i__payload[(ROWS-1-r)*W +: W], a[r][0]);
      naive_delay #(3, r + 1) delay_control (clk, {{i__valid, first, last}}, control[r][0][3:1]);
      assign control[r][0][0] = shifting[r];
      for (c = 0; c < COLS; c = c + 1) begin : cols
        naive_element element (
          clk, a[r][c], b[r][c], drain[r][c],
          control[r][c][3], control[r][c][2], control[r][c][1], control[r][c][0],
          a[r][c+1], b[r+1][c], drain[r+1][c],
          control[r][c+1][3], control[r][c+1][2], control[r][c+1][1], control[r][c+1][0]
        );
      end
    end
    for (c = 0; c < COLS; c = c + 1) begin : columns
      naive_delay #(W, c + 1) delay_b (clk, i__payload[(ROWS+c)*W +: W], b[0][c]);
      assign drain[0][c] = 0;
      if (c == COLS - 1) assign o__payload[c*Z +: Z] = drain[ROWS][c];
      else naive_delay #(Z, COLS - 1 - c) delay_result (clk, drain[ROWS][c], o__payload[c*Z +: Z]);
    end
  endgenerate

  // What leaves: when the lowest row is done, all shift down, each as often as it has rows above it.
  reg [ROWS-1:0] finished;
  reg [COLS-1:0] leaving, leaving_last;
  always @(posedge clk)
    if (rst) begin
      finished <= 0; shifting <= 0; leaving <= 0; leaving_last <= 0;
    end else begin
      finished <= {{finished, i__valid && last}};
      shifting <= finished[ROWS-1] ? ~1 : shifting << 1;
      leaving <= {{leaving, shifting[ROWS]}};
      leaving_last <= {{leaving_last, shifting[ROWS] && !shifting[ROWS-1]}};
    end
  wire [COLS:0] valids = {{leaving, shifting[ROWS]}}, lasts = {{leaving_last, shifting[ROWS] && !shifting[ROWS-1]}};
  assign o__valid = valids[COLS-1];
  assign o__payload[COLS*Z] = lasts[COLS-1];
endmodule
"""


def naive_systolic(params: SystolicParams, core: Manifest) -> Baseline:
    """An element multiplies, saturates, adds and selects in one cycle; latency rows + cols, one transfer per cycle.

    Parameters
    ----------
    core : Manifest
        Of the free-running unit.
    """
    width, result = params.width, params.result_width
    if params.semiring == "plus-times":
        algebra, text = _PLUS_TIMES.format(product=2 * width - 1, result=result - 1), "acc + a * b in one cycle"
    else:
        low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
        is_min = params.semiring == "min-plus"
        infinity, least, most = (high, low, high - 1) if is_min else (low, low + 1, high)
        algebra = _TROPICAL.format(
            width=width, width_1=width - 1, infinity=infinity, least=least, most=most, better="<" if is_min else ">"
        )
        text = f"{'min' if is_min else 'max'}(acc, a + b) in one cycle"
    verilog = _VERILOG.format(
        algebra=algebra, rows=params.rows, cols=params.cols, width=width, width_1=width - 1, result=result - 1
    )
    return Baseline.like(core, text, verilog, top="naive_systolic", latency_cycles=params.rows + params.cols)
