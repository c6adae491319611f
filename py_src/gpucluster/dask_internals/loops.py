"""Event loops of Dask's clients and servers, and their threads."""

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any

_lock = threading.Lock()
_runner: Any = None
_runner_pid = 0


def asyncio_loop(owner: Any) -> asyncio.AbstractEventLoop:
    """Return the asyncio loop of a client or worker: ``loop.asyncio_loop``, as tornado names it (2021.1)."""
    return owner.loop.asyncio_loop


def in_client_thread() -> bool:
    """Whether this is the thread in which a synchronous client of this process runs its event loop.

    Relies on that thread being named ``IO loop`` (``distributed.utils.LoopRunner``, 2021.1).
    """
    return threading.current_thread().name == "IO loop"


def in_dask_thread() -> bool:
    """Whether Dask runs this thread for its messages: a scheduler or worker of this process may be unpickling.

    Relies on the same as `in_client_thread`, and on ``distributed.utils._offload_executor`` naming its threads
    ``Dask-Offload`` (2021.1).
    """
    return in_client_thread() or threading.current_thread().name.startswith("Dask-Offload")


def client_loop() -> Any:
    """Return a tornado loop for Dask's clients in this process, which runs permanently in a separate thread.

    Relies on ``distributed.utils.LoopRunner``, whose ``start()`` runs a loop in a thread until ``stop()`` was called as
    often, and whose ``loop`` can be passed to others (2021.1).
    """
    global _runner, _runner_pid
    with _lock:
        if _runner is None or _runner_pid != os.getpid():
            from distributed.utils import LoopRunner

            _runner, _runner_pid = LoopRunner(asynchronous=False), os.getpid()
            _runner.start()
        return _runner.loop


def run_in(loop: Any, work: Callable[..., Any], *arguments: Any, timeout: Any = None, **options: Any) -> Any:
    """Run a coroutine function in another thread's loop: ``distributed.utils.sync``; ``TimeoutError`` (2021.1)."""
    from distributed.utils import sync

    return sync(loop, work, *arguments, callback_timeout=timeout, **options)


def is_running_loop(loop: Any) -> bool:
    """Whether this is the loop that runs in this thread. Relies on the same as ``asyncio_loop``."""
    try:
        return getattr(loop, "asyncio_loop", None) is asyncio.get_running_loop()
    except RuntimeError:
        return False
