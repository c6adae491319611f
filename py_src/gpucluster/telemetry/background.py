"""Blocking readings beside the worker's event loop: one thread, one reading at a time, with a short wait."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

WAIT_SECONDS = 0.2  # Maximum delay of a heartbeat; then it takes the figures of the previous reading.
NO_ANSWER_SECONDS = 10.0  # After this long without an answer, old figures are not shown any more.
NO_ANSWER = "The NVIDIA driver has not responded for some time. Run nvidia-smi on this worker's machine."


class BackgroundReading:
    """Runs a blocking function, which returns columns, in a daemon thread."""

    def __init__(self, read: Callable[[], dict[str, Any]]) -> None:
        self._read = read
        self._wanted: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[dict[str, Any]]] | None]
        self._wanted = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._running: asyncio.Future[dict[str, Any]] | None = None
        self._figures: dict[str, Any] = {}
        self._read_at = time.monotonic()

    async def latest(self) -> dict[str, Any]:
        """Return a new reading, or the previous one if that takes long."""
        if self._running is None:
            self._running = self._start()
        running = self._running
        done, _ = await asyncio.wait({running}, timeout=WAIT_SECONDS)
        if done and self._running is running:
            self._running = None
            self._figures = running.result()
            self._read_at = time.monotonic()
        if time.monotonic() - self._read_at > NO_ANSWER_SECONDS:
            known = {name: self._figures.get(name) for name in ("device", "device_index")}
            return {**known, "device_error": NO_ANSWER}
        return self._figures

    def close(self) -> None:
        """End the thread, once it is done."""
        self._wanted.put(None)

    def _start(self) -> asyncio.Future[dict[str, Any]]:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gpucluster-telemetry", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[dict[str, Any]] = loop.create_future()
        self._wanted.put((loop, future))
        return future

    def _work(self) -> None:
        while (item := self._wanted.get()) is not None:
            loop, future = item
            try:
                figures = self._read()
            except Exception as error:
                figures = {"device_error": f"The GPU cannot be read ({type(error).__name__})."}
            if loop.is_closed():
                return
            loop.call_soon_threadsafe(_deliver, future, figures)


def _deliver(future: asyncio.Future[dict[str, Any]], figures: dict[str, Any]) -> None:
    if not future.done():
        future.set_result(figures)
