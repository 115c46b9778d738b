# SPDX-License-Identifier: Apache-2.0
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cosim
from cosim.packing import from_limbs, to_limbs
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


# A memory of 16 words of 100 bits, and of 12 bits, that can be read without a clock.
MEMORY = """
module inner(input clk, input [3:0] address, output [99:0] wide, output [11:0] narrow);
  reg [99:0] wides [0:15];
  reg [11:0] narrows [0:15];
  always @(posedge clk) narrows[0] <= narrows[0] + 12'd1;
  assign wide = wides[address];
  assign narrow = narrows[address];
endmodule
module holder(input clk, input rst, input [3:0] address, output [99:0] wide, output [11:0] narrow);
  inner store(.clk(clk), .address(address), .wide(wide), .narrow(narrow));
  wire unused = rst;
endmodule
"""


@pytest.fixture
def holder(manifest):
    ports = [dataclasses.replace(manifest.port(name), name=name) for name in ("clk", "rst")]
    for name, width, direction in (("address", 4, "input"), ("wide", 100, "output"), ("narrow", 12, "output")):
        ports.append(dataclasses.replace(ports[0], name=name, width=width, direction=direction, layout=Scalar(width, False)))
    return dataclasses.replace(manifest, unit="holder", top="holder", ports=tuple(ports), streams=())


def test_memories_are_loaded_and_read_by_name_without_a_clock(holder, tools):
    with cosim.build(MEMORY, holder, tools, memories=["inner.wides", "inner.narrows"]) as model:
        narrow = np.arange(100, 116)
        wide = to_limbs([3**n << 40 for n in range(16)], 100)
        cycles = model.cycles
        model.load_memory("store.narrows", narrow)
        model.load_memory("store.wides", wide)
        model.load_memory("store.narrows", [7, 8], start=14)
        assert model.cycles == cycles
        np.testing.assert_array_equal(model.read_memory("store.narrows"), [*narrow[:14], 7, 8])
        np.testing.assert_array_equal(model.read_memory("store.wides"), wide)
        model.poke("address", 5)
        assert model.peek("narrow") == 105
        assert from_limbs([model.peek("wide")], 100) == [3**5 << 40]
        model.step(3)
        assert model.read_memory("store.narrows")[0] == 103
        with pytest.raises(ValueError, match="which does not fit 0 to 4095"):
            model.load_memory("store.narrows", [4096])
        with pytest.raises(ValueError, match=r"3 words from 14 do not fit memory 'store\.narrows' of 16"):
            model.load_memory("store.narrows", [1, 2, 3], start=14)
        with pytest.raises(ValueError, match=r"there is no memory 'store\.other': name it in build"):
            model.read_memory("store.other")


def test_state_is_saved_and_restored_also_into_another_model(manifest, tools):
    with (
        cosim.build(VERILOG, manifest, tools, savable=True) as model,
        cosim.build(VERILOG, manifest, tools, savable=True) as other,
    ):
        model.run({"i": items(model, 5)}, {"o": 5})
        state, cycles = model.save(), model.cycles
        model.run({"i": items(model, 4)}, {"o": 4})
        assert model.peek("count") == 9
        model.restore(state)
        assert (model.peek("count"), model.cycles) == (5, cycles)
        other.restore(state)
        assert other.peek("count") == 5
        assert other.run({"i": items(other, 2)}, {"o": 2}).surplus == {"o": 0}


def test_waves_are_written_for_the_window(manifest, tools, tmp_path):
    with cosim.build(VERILOG, manifest, tools, trace="vcd") as model:
        begin = model.cycles
        model.trace(tmp_path / "w ü.vcd", begin + 10, begin + 14)
        model.run({"i": items(model, 50)}, {"o": 50})
        model.end_trace()
    text = (tmp_path / "w ü.vcd").read_text()
    times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
    assert times == [(begin + n) * 10000 + half for n in range(10, 15) for half in (0, 5000)]
    assert "i__payload" in text


def test_what_a_model_was_not_built_for_is_said(model, tmp_path):
    for call in (model.save, lambda: model.restore(b""), lambda: model.trace(tmp_path / "x"), model.end_trace):
        with pytest.raises(ValueError, match="the model was not built for that: build"):
            call()


def test_isolated_model_does_the_same_and_its_crash_is_an_exception(manifest, tools):
    with cosim.build(VERILOG, manifest, tools, isolated=True) as model:
        sent = items(model, 300)
        np.testing.assert_array_equal(model.run({"i": sent}, {"o": 300}, stalls={"o": 0.5}).outputs["o"]["y"], sent["y"])
        assert model.cycles > 300
        assert model.peek("count") == 300 % 256
        with pytest.raises(cosim.Hang, match="o__valid is low after 1 of 2") as caught:
            model.run({"i": sent[:1]}, {"o": 2}, patience_cycles=20)
        assert len(caught.value.result.outputs["o"]) == 1
        with pytest.raises(ValueError, match="port 'count' is an output"):
            model.poke("count", 1)
        model._process.kill()
        with pytest.raises(cosim.Crashed, match=r"the process of the swap model ended with code -9 during step\(\)"):
            model.step()
    with pytest.raises(ValueError, match="the model is closed"):
        model.step()


@pytest.fixture
def heeded_interrupt():
    """Python's own answer to SIGINT, also where the tests run in the background of a shell, which ignores it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("heeded_interrupt")
@pytest.mark.parametrize("isolated", [False, True])
def test_interrupt_ends_a_long_run_promptly(manifest, tools, isolated):
    with cosim.build(VERILOG, manifest, tools, isolated=isolated) as model:
        begin = time.monotonic()
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            model.run({"i": items(model, 5000)}, {"o": 5001}, patience_cycles=2 * 10**8)
        assert time.monotonic() - begin < 3
        if not isolated:
            model.reset()
            assert model.run({"i": items(model, 3)}, {"o": 3}).surplus == {"o": 0}


def test_isolated_model_ends_with_the_process_that_asked(manifest, tools, tmp_path):
    (tmp_path / "manifest.json").write_text(manifest.to_json())
    (tmp_path / "swap.v").write_text(VERILOG)
    code = (
        "import sys, cosim, numpy as np; from pathlib import Path; from hdl.manifest import Manifest\n"
        "folder = Path(sys.argv[1]); manifest = Manifest.read(folder / 'manifest.json')\n"
        "model = cosim.build((folder / 'swap.v').read_text(), manifest, isolated=True)\n"
        "print(model._process.pid, flush=True)\n"
        "model.run({'i': np.zeros(1, model.dtype('i'))}, {'o': 2}, patience_cycles=10**10)"
    )
    asking = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE)
    pid = int(asking.stdout.readline())
    time.sleep(0.5)
    assert Path(f"/proc/{pid}").exists()
    asking.kill()
    asking.wait()
    asking.stdout.close()  # which the model's process holds too, so it must not be waited for
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_models_run_in_several_threads_at_once(manifest, tools):
    def work(n):
        with cosim.build(VERILOG, manifest, tools) as model:
            sent = items(model, 20_000 + n)
            return (model.run({"i": sent}, {"o": len(sent)}, stalls={"i": 0.2}, seed=n).outputs["o"]["y"] == sent["y"]).all()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
