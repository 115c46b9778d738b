# SPDX-License-Identifier: Apache-2.0
"""Many calls of one function on Dask: processes of this machine, or the workers of a scheduler that is running."""

import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any

from toolchain.errors import BadInput

__all__ = ["run"]

_ANSWER_S = 10
"""How long a scheduler may take to answer."""
_LAST_WORDS_S = 3
"""How long calls may take to return after their programs were killed."""


def run(
    function: Callable[..., Any],
    calls: Sequence[tuple],
    done: Callable[[int, Any], None],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> None:
    """Call a function with each of many argument lists.

    An interrupt ends the local processes and the programs that they run; results that are complete by then are still
    told. From a scheduler it takes back what has not begun.

    Parameters
    ----------
    function : callable
        Importable by its name in the workers, which have the same packages.
    done : callable
        Told the index of a call and its result, or the exception that it ended with, as soon as it ends.
    jobs : int, optional
        Local processes; as many as there are cores by default, and never more than there are calls.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers are used instead.

    Raises
    ------
    BadInput
        If the scheduler does not answer.
    """
    from distributed import as_completed

    n_workers = min(jobs or os.cpu_count() or 1, len(calls))
    with _quiet(), _remote(scheduler) if scheduler else _local(n_workers) as client:
        waiting, futures = iter(enumerate(calls)), {}
        ended = as_completed(loop=client.loop)

        def submit(number: int) -> None:
            for n, call in islice(waiting, number):
                future = client.submit(function, *call, pure=False)
                futures[future] = n
                ended.add(future)

        try:
            submit(len(calls) if scheduler else n_workers)  # a local process has one call, so that all that wait run
            for future in ended:
                submit(1)
                done(futures[future], _outcome(future))
                del futures[future]
        except BaseException:
            if scheduler:
                client.cancel(list(futures))
                raise
            _end_programs(client.cluster.workers.values())
            until = time.monotonic() + _LAST_WORDS_S
            for future, n in futures.items():
                with suppress(Exception):  # late, or lost with its worker: it is the interrupt that counts
                    done(n, _outcome(future, max(until - time.monotonic(), 0.01)))
            raise


def _outcome(future, timeout_s: float | None = None) -> Any:
    error = future.exception(timeout_s)
    return future.result() if error is None else error


def _end_programs(workers: Iterable[Any]) -> None:
    """Kill all programs that local workers run, so that their calls return."""
    import psutil

    for worker in workers:
        try:
            for program in psutil.Process(worker.pid).children(recursive=True):
                program.kill()
        except psutil.NoSuchProcess:
            pass


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's own log: what matters of it comes as exceptions."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _remote(address: str) -> Iterator[Any]:
    from distributed import Client

    if not re.fullmatch(r"(tcp|tls|ws|wss)://[^/\s]+:[0-9]{1,5}", address):
        raise BadInput(f"--scheduler {address!r} must be the address of a Dask scheduler, such as tcp://login1:8786")
    try:
        client = Client(address, timeout=_ANSWER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"--scheduler {address} does not answer: {reason}; docs/sweeps.md shows how one is started") from None
    with client:
        yield client


@contextmanager
def _local(n_workers: int) -> Iterator[Any]:
    from dask import config
    from distributed import Client, LocalCluster

    settings = {
        "logging.distributed": "critical",
        "distributed.worker.memory.terminate": False,  # the memory is that of Yosys and nextpnr, which Dask does not see
        "distributed.worker.memory.pause": False,
    }
    with config.set(settings), _without_interrupts():
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1", memory_limit=0,
            dashboard_address="127.0.0.1:0",  # None would be port 8787 on all interfaces, and a warning if another sweep has it
            silence_logs=logging.CRITICAL,
        )  # fmt: skip
    try:
        with Client(cluster, set_as_default=False) as client:
            yield client
    finally:
        with suppress(TimeoutError):  # on a busy machine; the processes end with this one
            cluster.close()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """What is started in here does not see Ctrl-C, which a terminal sends to all: it is this process that ends the others."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # would unblock the signal if it was started in here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
