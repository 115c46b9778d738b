# SPDX-License-Identifier: Apache-2.0
"""A Verilated model as a Python object."""

import ctypes
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cosim.packing import dtype_of, pack, storage_bytes, unpack
from hdl.manifest import Manifest, Stream
from toolchain.errors import Mismatch
from toolchain.verilator import Library, Tools, build_library

__all__ = ["Hang", "Model", "RunResult", "build"]

_HARNESS = Path(__file__).with_name("harness.cpp")


class _Channel(ctypes.Structure):
    """Mirrors ``struct Channel`` of harness.cpp."""

    _fields_ = (
        ("payload_port", ctypes.c_int32),
        ("valid_port", ctypes.c_int32),
        ("ready_port", ctypes.c_int32),
        ("stall", ctypes.c_uint32),
        ("random", ctypes.c_uint64),
        ("count", ctypes.c_uint64),
        ("done", ctypes.c_uint64),
        ("stride", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("at_cycle", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class RunResult:
    """What a run saw.

    Parameters
    ----------
    outputs : dict of str to array
        Per output stream the transfers, as many as were asked for.
    input_cycles, output_cycles : dict of str to uint64 array
        In which cycle of the model's life each transfer happened.
    surplus : dict of str to int
        Transfers that came beyond those asked for.
    cycles : int
        Length of the run.
    run_s : float
        Time in the native call, without packing.
    """

    outputs: dict[str, np.ndarray]
    input_cycles: dict[str, np.ndarray]
    output_cycles: dict[str, np.ndarray]
    surplus: dict[str, int]
    cycles: int
    run_s: float


class Hang(Mismatch):
    """Nothing moved for many cycles although transfers were still wanted; ``result`` is what had come until then."""

    def __init__(self, message: str, result: RunResult):
        super().__init__(message)
        self.result = result


def build(verilog: str, manifest: Manifest, tools: Tools | None = None) -> "Model":
    """Verilate and compile, or take the result kept from before, and start the model in reset's wake.

    Parameters
    ----------
    verilog : str
        The Verilog's text.
    manifest : Manifest
    tools : Tools, optional
        Found on this machine by default.
    """
    tools = tools or Tools.find()
    table = "\n".join(f"    case {n}: return &model.{_cpp_name(port.name)};" for n, port in enumerate(manifest.ports))
    harness = (
        '#include "Vmodel.h"\n'
        f"static void *port_address(Vmodel &model, int index) {{\n  switch (index) {{\n{table}\n  }}\n  return nullptr;\n}}\n"
        f"static CData &clock_of(Vmodel &model) {{ return model.{_cpp_name(manifest.clock)}; }}\n"
        f"static CData &reset_of(Vmodel &model) {{ return model.{_cpp_name(manifest.reset)}; }}\n"
    ) + _HARNESS.read_text()
    # Verilator's data-flow optimiser would look through the inputs that keep repeated blocks one function.
    flags = ("-fno-dfg",) if "/*verilator public_flat_rd*/" in verilog else ()
    library = build_library(tools, {f"{manifest.top}.v": verilog}, top=manifest.top, harness=harness, flags=flags)
    return Model(library, manifest)


def _cpp_name(port: str) -> str:
    """A port's name in the C++ that Verilator makes, where two underscores in a row are its own."""
    return port.replace("__", "___05F")


class Model:
    """A running design.

    A context manager; leaving it frees the simulation. Ports are named as in the manifest. The model is reset when made.

    Parameters
    ----------
    library : Library
        From `toolchain.verilator.build_library`.
    manifest : Manifest
    """

    def __init__(self, library: Library, manifest: Manifest):
        self.library = library
        self.manifest = manifest
        self._index = {port.name: n for n, port in enumerate(manifest.ports)}
        self._c = _bind(ctypes.CDLL(str(library.path)))
        self._handle = self._c.trme_create()
        self.reset()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def close(self) -> None:
        """Free the simulation; further calls do nothing."""
        if self._handle is not None:
            self._c.trme_destroy(self._handle)
            self._handle = None

    @property
    def cycles(self) -> int:
        """Clock cycles since the model was made."""
        return self._c.trme_cycles(self._open())

    def reset(self, cycles: int = 2) -> None:
        """Hold reset for some cycles."""
        self._c.trme_reset(self._open(), cycles)

    def step(self, n: int = 1) -> None:
        """Let ``n`` clock cycles pass."""
        self._c.trme_step(self._open(), n)

    def poke(self, name: str, value) -> None:
        """Set an input port: an integer, or for a structured port one record of its dtype."""
        port = self.manifest.port(name)
        if port.direction != "input":
            raise ValueError(f"port {name!r} is an output; only inputs can be set")
        row = pack(port.layout, np.asarray([value]))
        self._c.trme_poke(self._open(), self._index[name], row.ctypes.data, row.size)

    def peek(self, name: str):
        """The value of a port: a NumPy scalar, array or record of its dtype."""
        port = self.manifest.port(name)
        row = np.zeros((1, storage_bytes(port.width)), np.uint8)
        self._c.trme_peek(self._open(), self._index[name], row.ctypes.data, row.size)
        return unpack(port.layout, row)[0]

    def dtype(self, stream: str) -> np.dtype:
        """The NumPy type of a stream's payload."""
        return dtype_of(self.manifest.stream_layout(self._stream(stream)))

    def run(
        self,
        inputs: Mapping[str, np.ndarray],
        n_outputs: Mapping[str, int],
        *,
        stalls: Mapping[str, float] | None = None,
        seed: int = 0,
        patience_cycles: int = 100_000,
    ) -> RunResult:
        """Stream arrays through the design within one native call.

        Parameters
        ----------
        inputs : mapping of str to array of shape (n,)
            Per input stream the transfers; dtype as `dtype`, or any integers that fit.
        n_outputs : mapping of str to int
            Per output stream how many transfers must come. Some cycles more are run to see whether others follow.
        stalls : mapping of str to float, optional
            Per stream the chance in [0, 1) to pause in a cycle: valid for inputs, ready for outputs.
        seed : int
            Of the pauses.
        patience_cycles : int
            Cycles without any transfer after which the design is taken to hang.

        Raises
        ------
        Hang
            Naming the port that waits.
        TypeError, ValueError
            If a stream is unknown or its values do not fit, see `cosim.packing.pack`.
        """
        stalls = dict(stalls or {})
        wanted = {s.name: s for s in self.manifest.streams}
        expected = {name for name, s in wanted.items() if s.direction == "input"}
        if set(inputs) != expected or set(n_outputs) != wanted.keys() - expected or stalls.keys() - wanted.keys():
            raise ValueError(f"a run needs inputs for {sorted(expected)} and outputs for {sorted(wanted.keys() - expected)}")
        kept: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        channels: dict[str, _Channel] = {}
        for n, (name, stream) in enumerate(wanted.items()):
            layout = self.manifest.stream_layout(stream)
            if stream.direction == "input":
                data = pack(layout, inputs[name])
            else:
                data = np.zeros((n_outputs[name], storage_bytes(layout.width)), np.uint8)
            kept[name] = data, np.zeros(len(data), np.uint64)
            channels[name] = self._channel(stream, *kept[name], stalls.get(name, 0.0), seed * len(wanted) + n)
        before = self.cycles
        sides = [[name for name, s in wanted.items() if s.direction == side] for side in ("input", "output")]
        arrays = [(_Channel * len(side))(*(channels[name] for name in side)) for side in sides]
        tail = self.manifest.latency_cycles + 16
        begin = time.perf_counter()
        code = self._c.trme_run(
            self._open(), arrays[0], len(arrays[0]), arrays[1], len(arrays[1]), patience_cycles, tail
        )  # fmt: skip
        run_s = time.perf_counter() - begin
        done = {name: c.done for side, array in zip(sides, arrays, strict=True) for name, c in zip(side, array, strict=True)}
        came = {name: min(done[name], len(data)) for name, (data, _) in kept.items()}
        result = RunResult(
            outputs={n: unpack(self.manifest.stream_layout(wanted[n]), kept[n][0][: came[n]]) for n in sides[1]},
            input_cycles={n: kept[n][1][: came[n]] for n in sides[0]},
            output_cycles={n: kept[n][1][: came[n]] for n in sides[1]},
            surplus={n: done[n] - came[n] for n in sides[1]},
            cycles=self.cycles - before,
            run_s=run_s,
        )
        if code:
            waits = [_waits(s, done[n], len(kept[n][0])) for n, s in wanted.items() if done[n] < len(kept[n][0])]
            raise Hang(f"nothing moved for {patience_cycles} cycles: {', '.join(waits)}", result)
        return result

    def _channel(self, stream: Stream, data, at_cycle, stall: float, seed: int) -> _Channel:
        if not 0 <= stall < 1:
            raise ValueError(f"the chance to stall {stream.name!r} must be in [0, 1), not {stall!r}")
        return _Channel(
            payload_port=self._index[stream.payload],
            valid_port=self._index[stream.valid],
            ready_port=-1 if stream.ready is None else self._index[stream.ready],
            stall=int(stall * 2**32),
            random=int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) | 1,
            count=len(data),
            done=0,
            stride=data.shape[1],
            data=data.ctypes.data,
            at_cycle=at_cycle.ctypes.data,
        )

    def _stream(self, name: str) -> Stream:
        return {stream.name: stream for stream in self.manifest.streams}[name]

    def _open(self):
        if self._handle is None:
            raise ValueError("the model is closed")
        return self._handle


def _waits(stream: Stream, done: int, count: int) -> str:
    port = stream.ready if stream.direction == "input" else stream.valid
    return f"{port} is low after {done} of {count} transfers"


def _bind(library: ctypes.CDLL) -> ctypes.CDLL:
    handle, port, pointer, number = ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64
    channels = ctypes.POINTER(_Channel)
    for name, result, arguments in (
        ("trme_create", handle, ()),
        ("trme_destroy", None, (handle,)),
        ("trme_cycles", number, (handle,)),
        ("trme_step", None, (handle, number)),
        ("trme_reset", None, (handle, number)),
        ("trme_poke", None, (handle, port, pointer, number)),
        ("trme_peek", None, (handle, port, pointer, number)),
        ("trme_run", ctypes.c_int32, (handle, channels, ctypes.c_int32, channels, ctypes.c_int32, number, number)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
