# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import pytest

import cosim
from hdl.manifest import Array, Scalar, Struct

# A FIFO of one item that swaps two fields, by hand: cosim must know nothing but Verilog and manifest.
VERILOG = """
module swap(input clk, input rst, input [69:0] i__payload, input i__valid, output i__ready,
            output [69:0] o__payload, output o__valid, input o__ready, output [7:0] count);
  reg [69:0] item; reg full; reg [7:0] n;
  always @(posedge clk) begin
    if (i__valid & i__ready) item <= i__payload;
    full <= !rst & ((i__valid & i__ready) | (full & !o__ready));
    n <= rst ? 8'd0 : n + {7'd0, i__valid & i__ready};
  end
  assign i__ready = !full | o__ready;
  assign o__payload = {item[34:0], item[69:35]};
  assign o__valid = full;
  assign count = n;
endmodule
"""


@pytest.fixture
def manifest(design):
    pair = Struct((("x", Array(Scalar(7, True), 5)), ("y", Scalar(35, False))))
    swapped = Struct((("y", Scalar(35, False)), ("x", Array(Scalar(7, True), 5))))
    base = design("modmul").emit().manifest
    ports = [port for port in base.ports if "payload" not in port.name]
    payloads = [
        dataclasses.replace(base.port(name), width=70, layout=layout, signed=False)
        for name, layout in (("i__payload", pair), ("o__payload", swapped))
    ]
    count = dataclasses.replace(base.port("o__valid"), name="count", width=8, layout=Scalar(8, False))
    return dataclasses.replace(base, unit="swap", top="swap", latency_cycles=1, ports=(*ports, *payloads, count))


@pytest.fixture
def model(manifest, tools):
    with cosim.build(VERILOG, manifest, tools) as model:
        yield model


def items(model, n):
    rng = np.random.default_rng(n)
    values = np.zeros(n, model.dtype("i"))
    values["x"], values["y"] = rng.integers(-64, 64, (n, 5)), rng.integers(0, 2**35, n)
    return values


@pytest.mark.parametrize("stalls", [{}, {"i": 0.5}, {"o": 0.7}, {"i": 0.3, "o": 0.9}])
def test_all_items_pass_in_order_whatever_stalls(model, stalls):
    sent = items(model, 3000)
    result = model.run({"i": sent}, {"o": 3000}, stalls=stalls, seed=4)
    np.testing.assert_array_equal(result.outputs["o"]["x"], sent["x"])
    np.testing.assert_array_equal(result.outputs["o"]["y"], sent["y"])
    assert result.surplus == {"o": 0}
    assert (np.diff(result.output_cycles["o"].astype(int)) > 0).all()
    assert (result.output_cycles["o"] > result.input_cycles["i"]).all()
    if not stalls:
        assert result.output_cycles["o"][0] - result.input_cycles["i"][0] == 1
        assert result.cycles <= 3000 + 20


def test_same_seed_gives_the_same_stalls_and_another_seed_others(model):
    cycles = []
    for seed in (1, 1, 2):
        model.reset()
        begin = model.cycles
        run = model.run({"i": items(model, 200)}, {"o": 200}, stalls={"i": 0.5, "o": 0.5}, seed=seed)
        cycles.append((run.output_cycles["o"] - begin).tolist())
    assert cycles[0] == cycles[1] != cycles[2]


def test_ports_are_set_and_read_by_name(model):
    value = items(model, 1)[0]
    model.poke("i__payload", value)
    model.poke("i__valid", 1)
    assert model.peek("i__ready") == 1
    before = model.cycles
    model.step()
    model.poke("i__valid", 0)
    assert model.cycles == before + 1
    assert (model.peek("o__valid"), model.peek("count")) == (1, 1)
    seen = model.peek("o__payload")
    assert seen["y"] == value["y"]
    np.testing.assert_array_equal(seen["x"], value["x"])
    model.reset()
    assert (model.peek("o__valid"), model.peek("count")) == (0, 0)


def test_missing_results_end_with_the_port_that_waits(model):
    with pytest.raises(cosim.Hang, match="nothing moved for 50 cycles: o__valid is low after 7 of 9 transfers") as caught:
        model.run({"i": items(model, 7)}, {"o": 9}, patience_cycles=50)
    assert len(caught.value.result.outputs["o"]) == 7


def test_input_that_is_never_taken_ends_with_the_port_that_waits(manifest, tools):
    stuck = VERILOG.replace("assign i__ready = !full | o__ready", "assign i__ready = (n < 8'd3) & (!full | o__ready)")
    with (
        cosim.build(stuck, manifest, tools) as model,
        pytest.raises(cosim.Hang, match="i__ready is low after 3 of 5 transfers"),
    ):
        model.run({"i": items(model, 5)}, {"o": 3}, patience_cycles=50)


def test_results_too_many_are_counted(model):
    assert model.run({"i": items(model, 9)}, {"o": 6}).surplus == {"o": 3}


def test_two_models_in_one_process_do_not_meet(manifest, tools):
    with cosim.build(VERILOG, manifest, tools) as one, cosim.build(VERILOG, manifest, tools) as other:
        one.run({"i": items(one, 5)}, {"o": 5})
        assert (one.peek("count"), other.peek("count")) == (5, 0)


def test_bad_calls_are_refused_in_one_sentence(model):
    with pytest.raises(ValueError, match=r"a run needs inputs for \['i'\] and outputs for \['o'\]"):
        model.run({}, {"o": 1})
    with pytest.raises(ValueError, match=r"the chance to stall 'i' must be in \[0, 1\), not 1"):
        model.run({"i": items(model, 1)}, {"o": 1}, stalls={"i": 1})
    with pytest.raises(ValueError, match="port 'count' is an output; only inputs can be set"):
        model.poke("count", 1)
    with pytest.raises(KeyError):
        model.peek("nothing")
    model.close()
    model.close()
    with pytest.raises(ValueError, match="the model is closed"):
        model.step()
