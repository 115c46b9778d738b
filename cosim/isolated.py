# SPDX-License-Identifier: Apache-2.0
"""A model in a process of its own, so that its crash is an exception here and nothing else is lost."""

import os
import pickle
import select
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from cosim.model import Model
from hdl.manifest import Manifest
from toolchain.errors import ToolFailed
from toolchain.verilator import Library

__all__ = ["Crashed", "IsolatedModel"]

_METHODS = (
    "dtype", "load_memory", "peek", "poke", "read_memory", "reset", "restore", "run", "save", "step", "trace",
)  # fmt: skip


class Crashed(ToolFailed):
    """The process that held the model has ended."""


class IsolatedModel:
    """A `Model` with the same methods, in a child process."""

    def __init__(self, library: Library, manifest: Manifest):
        self.library, self.manifest = library, manifest
        ours, theirs = os.pipe(), os.pipe()  # each a read end and a write end; ours carries answers
        root = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cosim.isolated", str(theirs[0]), str(ours[1])],
            pass_fds=(theirs[0], ours[1]),
            stdin=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])},
        )
        os.close(theirs[0])
        os.close(ours[1])
        self._requests, self._answers = Connection(theirs[1], readable=False), Connection(ours[0], writable=False)
        self._ask("__init__", library, manifest)

    def __enter__(self) -> "IsolatedModel":
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __getattr__(self, name: str):
        if name not in _METHODS:
            raise AttributeError(f"a model has no attribute {name!r}")
        return lambda *arguments, **options: self._ask(name, *arguments, **options)

    @property
    def cycles(self) -> int:
        """Clock cycles since the model was made."""
        return self._ask("cycles")

    def close(self) -> None:
        """End the process; further calls do nothing."""
        self._requests.close()
        self._answers.close()
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()

    def _ask(self, name, *arguments, **options):
        if self._requests.closed:
            raise ValueError("the model is closed")
        try:
            self._requests.send((name, arguments, options))
            is_error, answer = self._answers.recv()
        except KeyboardInterrupt:
            self.close()  # what it was doing is not to be had any more
            raise
        except (OSError, EOFError, pickle.UnpicklingError):
            code = self._process.wait()
            raise Crashed(f"the process of the {self.manifest.unit} model ended with code {code} during {name}()") from None
        if is_error:
            raise answer
        return answer


def _end_with(requests: Connection) -> None:
    """End this process when the other end of the pipe is gone, also in the middle of a native call."""
    poller = select.poll()
    poller.register(requests.fileno(), 0)  # hang-up is always reported
    poller.poll()
    os._exit(0)


def _serve(requests: Connection, answers: Connection) -> None:
    model: Model | None = None
    while True:
        try:
            name, arguments, options = requests.recv()
        except EOFError:
            return
        try:
            if name == "__init__":
                model, answer = Model(*arguments), None
            else:
                answer = getattr(model, name)
                answer = answer(*arguments, **options) if callable(answer) else answer
            answers.send((False, answer))
        except Exception as error:
            answers.send((True, error))


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    incoming = Connection(int(sys.argv[1]), writable=False)
    threading.Thread(target=_end_with, args=(incoming,), daemon=True).start()
    _serve(incoming, Connection(int(sys.argv[2]), readable=False))
