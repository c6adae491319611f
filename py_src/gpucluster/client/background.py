"""One event loop in a background thread, for synchronous callers. A kernel's own loop is busy running the cell."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from ..protocol.errors import InvalidState

T = TypeVar("T")
S = TypeVar("S")

CLEAN_UP_SECONDS = 30.0  # For clean-up after Ctrl-C.
_MEANWHILE_SECONDS = 0.1

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_owner_pid = 0


def background_loop() -> asyncio.AbstractEventLoop:
    """Return the loop, started at its first use (and again in a forked child)."""
    global _loop, _owner_pid
    with _lock:
        if _loop is None or _owner_pid != os.getpid():
            _loop = asyncio.new_event_loop()
            _owner_pid = os.getpid()
            threading.Thread(target=_loop.run_forever, name="gpucluster", daemon=True).start()
        return _loop


def is_of_this_process() -> bool:
    """Return whether the loop was started in this process, not in the one it was forked from."""
    return _owner_pid == os.getpid()


def run(work: Coroutine[Any, Any, T], meanwhile: Callable[[], object] | None = None) -> T:
    """Run a coroutine on the background loop and wait for its result; Ctrl-C cancels it.

    A cancelled coroutine may clean up before the interrupt continues, since the process may end right after. A second
    Ctrl-C does not wait.

    `meanwhile`: called in this thread ten times a second, since a notebook's output belongs to the thread that runs the
    cell. Raises `InvalidState`: Python is exiting, and the loop's thread has ended.
    """
    if sys.is_finalizing():
        work.close()
        raise InvalidState("Python is exiting: no more requests to clusters are possible.")
    loop = background_loop()
    outcome: Future[T] = Future()
    over = threading.Event()
    task: asyncio.Task[T] | None = None

    def begin() -> None:
        nonlocal task
        task = asyncio.ensure_future(work)
        task.add_done_callback(end)

    def end(task: asyncio.Task[T]) -> None:
        if task.cancelled():
            outcome.cancel()
        elif (error := task.exception()) is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(task.result())
        over.set()

    def cancel() -> None:
        if task is None:
            work.close()
            over.set()
        else:
            task.cancel()

    try:
        # An interrupt may come before this returns, with the work running already: it must still find the task.
        loop.call_soon_threadsafe(begin)
        while meanwhile is not None and not over.wait(_MEANWHILE_SECONDS):
            meanwhile()
        return outcome.result()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(cancel)
        over.wait(CLEAN_UP_SECONDS)
        raise


def run_with_progress(
    work: Callable[[Callable[[S], None]], Coroutine[Any, Any, T]], progress: Callable[[S], None] | None
) -> T:
    """Like `run`; `work` gets a function for its states, and `progress` the newest of them in this thread."""
    seen: list[S] = []

    def show() -> None:
        if progress is not None and seen:
            progress(seen[-1])
            seen.clear()

    return run(work(seen.append), show)
