# SPDX-License-Identifier: Apache-2.0
"""A Verilated model as a Python object."""

import ctypes
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from cosim.packing import dtype_of, pack, storage_bytes, unpack
from hdl.manifest import Manifest, Scalar, Stream
from toolchain.errors import Mismatch
from toolchain.verilator import Library

__all__ = ["Hang", "Model", "RunResult"]


_ENDLESS = (1 << 64) - 1
_STOPPED = 3  # what trme_run returns then
_SHORT_RUN = 4096  # transfers: over before anybody could interrupt it


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
        super().__init__(message, result)
        self.result = result

    def __str__(self) -> str:
        return self.args[0]


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
        self._buffers: dict[str, np.ndarray] = {}
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
                data = self._buffer(f"{name} data", n_outputs[name], (storage_bytes(layout.width),), np.uint8)
            kept[name] = data, self._buffer(f"{name} cycles", len(data), (), np.uint64)
            channels[name] = self._channel(stream, *kept[name], stalls.get(name, 0.0), seed * len(wanted) + n)
        before = self.cycles
        sides = [[name for name, s in wanted.items() if s.direction == side] for side in ("input", "output")]
        arrays = [(_Channel * len(side))(*(channels[name] for name in side)) for side in sides]
        tail = self.manifest.latency_cycles + 16
        begin = time.perf_counter()
        wanted_transfers = sum(len(data) for data, _ in kept.values())
        with _stop_on_interrupt(wanted_transfers > _SHORT_RUN) as stop:
            code = self._c.trme_run(
                self._open(), arrays[0], len(arrays[0]), arrays[1], len(arrays[1]), patience_cycles, tail, ctypes.byref(stop)
            )  # fmt: skip
        run_s = time.perf_counter() - begin
        done = {name: c.done for side, array in zip(sides, arrays, strict=True) for name, c in zip(side, array, strict=True)}
        came = {name: min(done[name], len(data)) for name, (data, _) in kept.items()}
        result = RunResult(
            outputs={n: unpack(self.manifest.stream_layout(wanted[n]), kept[n][0][: came[n]]) for n in sides[1]},
            input_cycles={n: kept[n][1][: came[n]].copy() for n in sides[0]},
            output_cycles={n: kept[n][1][: came[n]].copy() for n in sides[1]},
            surplus={n: done[n] - came[n] for n in sides[1]},
            cycles=self.cycles - before,
            run_s=run_s,
        )
        if code == _STOPPED:
            raise KeyboardInterrupt
        if code:
            waits = [_waits(s, done[n], len(kept[n][0])) for n, s in wanted.items() if done[n] < len(kept[n][0])]
            raise Hang(f"nothing moved for {patience_cycles} cycles: {', '.join(waits)}", result)
        return result

    def _buffer(self, name: str, n: int, shape: tuple[int, ...], dtype) -> np.ndarray:
        """Memory for a run, kept for the next: to get new memory from the system costs as much as simulating a small design."""
        if name not in self._buffers or len(self._buffers[name]) < n:
            self._buffers[name] = np.empty((n, *shape), dtype)
        return self._buffers[name][:n]

    def trace(self, path: Path, first: int = 0, last: int = _ENDLESS) -> None:
        """Write the waves of the cycles from ``first`` to ``last`` of the model's life into a file, from now on.

        The file is complete after `end_trace` or `close`. Needs a model built with ``trace``.
        """
        self._optional("trme_trace", "trace='vcd'")(self._open(), os.fsencode(path), first, last)

    def end_trace(self) -> None:
        """Complete the file of waves."""
        self._optional("trme_trace", "trace='vcd'")(self._open(), b"", 0, 0)

    def save(self) -> bytes:
        """The whole state of the simulation. Needs a model built with ``savable``."""
        return self._through_file("trme_save", None)

    def restore(self, state: bytes) -> None:
        """Go back to a state that `save` of a model of the same build gave."""
        self._through_file("trme_restore", state)

    def read_memory(self, name: str) -> np.ndarray:
        """The words of a memory, such as ``"memory.words"``: the instances below the top module, and the variable.

        Returns
        -------
        array of shape ``(words,)`` of unsigned integers, or ``(words, limbs)`` above 64 bits

        Raises
        ------
        ValueError
            If there is no such memory, or the model was not built with it among its ``memories``.
        """
        rows, layout = self._memory(name)
        return unpack(layout, rows)

    def load_memory(self, name: str, values: np.ndarray, start: int = 0) -> None:
        """Set words of a memory from ``start`` on, without a clock cycle; as `read_memory` gives them."""
        rows, layout = self._memory(name)
        values = np.asarray(values)
        if not 0 <= start <= start + len(values) <= len(rows):
            raise ValueError(f"{len(values)} words from {start} do not fit memory {name!r} of {len(rows)}")
        rows[start : start + len(values)] = pack(layout, values)
        self._c.trme_step(self._open(), 0)  # what reads the memory without a clock sees it

    def _memory(self, name) -> tuple[np.ndarray, Scalar]:
        *path, variable = name.split(".")
        scope = ".".join([self.manifest.top, *path])
        words, bits = ctypes.c_uint64(), ctypes.c_uint64()
        found = None
        for prefix in ("TOP.", ""):
            found = found or self._c.trme_memory(
                self._open(), (prefix + scope).encode(), variable.encode(), ctypes.byref(words), ctypes.byref(bits)
            )
        if not found:
            raise ValueError(
                f"there is no memory {name!r}: name it in build(memories=['MODULE.VARIABLE']), and here by instance"
            )
        layout = Scalar(bits.value, False)
        size = words.value * storage_bytes(layout.width)
        memory = (ctypes.c_uint8 * size).from_address(found)
        return np.ctypeslib.as_array(memory).reshape(words.value, -1), layout

    def _optional(self, name: str, how: str):
        if not hasattr(self._c, name):
            raise ValueError(f"the model was not built for that: build(..., {how})")
        return getattr(self._c, name)

    def _through_file(self, name: str, state: bytes | None) -> bytes:
        function = self._optional(name, "savable=True")
        with TemporaryDirectory(prefix="trme-") as folder:
            path = Path(folder) / "state"
            if state is not None:
                path.write_bytes(state)
            if function(self._open(), os.fsencode(path)):
                raise OSError(f"cannot write the state into {folder}")
            return path.read_bytes()

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


@contextmanager
def _stop_on_interrupt(is_long: bool):
    """A flag that Ctrl-C sets while the main thread is in a native call, where Python's own handler cannot run.

    The handler in C writes the signal's number to a descriptor; a thread that sleeps on the other end sets the flag. To run
    the model in a thread instead would be simpler, and cost a third of a small model's speed on another, cold core.
    """
    stop = ctypes.c_int32()
    if not is_long or threading.current_thread() is not threading.main_thread():
        yield stop
        return
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    former = signal.set_wakeup_fd(sink, warn_on_full_buffer=False)

    def watch() -> None:
        while numbers := os.read(source, 64):
            if signal.SIGINT in numbers:
                stop.value = 1
            if former != -1:
                os.write(former, numbers)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(former)
        os.close(sink)
        watcher.join()
        os.close(source)


def _waits(stream: Stream, done: int, count: int) -> str:
    port = stream.ready if stream.direction == "input" else stream.valid
    return f"{port} is low after {done} of {count} transfers"


def _bind(library: ctypes.CDLL) -> ctypes.CDLL:
    handle, port, pointer, number, text = ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p
    channels = ctypes.POINTER(_Channel)
    for name, result, arguments in (
        ("trme_create", handle, ()),
        ("trme_destroy", None, (handle,)),
        ("trme_cycles", number, (handle,)),
        ("trme_step", None, (handle, number)),
        ("trme_reset", None, (handle, number)),
        ("trme_poke", None, (handle, port, pointer, number)),
        ("trme_peek", None, (handle, port, pointer, number)),
        ("trme_run", ctypes.c_int32, (handle, channels, ctypes.c_int32, channels, ctypes.c_int32, number, number, pointer)),
        ("trme_memory", ctypes.c_void_p, (handle, text, text, pointer, pointer)),
        ("trme_trace", None, (handle, text, number, number)),
        ("trme_save", ctypes.c_int32, (handle, text)),
        ("trme_restore", ctypes.c_int32, (handle, text)),
    ):
        if not hasattr(library, name):  # a model that was not built for that
            continue
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
