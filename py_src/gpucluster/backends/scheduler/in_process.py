"""The view of a scheduler that runs in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from distributed import Scheduler

from ...dask_internals.listening import open_port, web_address
from ...dask_internals.periodic_callbacks import ask_for_heartbeats
from ...dask_internals.scheduler_state import give_worker_plugin
from .reader import SchedulerReader
from .view import SchedulerView


class InProcessScheduler(SchedulerView):
    """Reads a scheduler directly; needs a running event loop."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._reader = SchedulerReader(f"gpucluster-view-{uuid4().hex}")
        self._reader.attach(scheduler)
        scheduler.add_plugin(self._reader, name=self._reader.name)
        self.dashboard = web_address(scheduler)
        self._opened: tuple[str, int] | None = None

    @property
    def address(self) -> str:
        return str(self._scheduler.address)

    def open_dashboard(self) -> tuple[str, int]:
        if not isinstance(self.dashboard, str):
            return super().open_dashboard()
        if self._opened is None:
            self._opened = open_port(self._scheduler)
        return self._opened

    def watch(self, changed: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        is_scheduled = False

        def call_back() -> None:
            nonlocal is_scheduled
            is_scheduled = False
            changed()

        def call_back_soon() -> None:
            nonlocal is_scheduled
            if not is_scheduled:  # Many may come at the same moment.
                is_scheduled = True
                loop.call_soon(call_back)

        self._reader.watch(call_back_soon)

    def watch_cells(self, began: Callable[[], None]) -> None:
        self._reader.watch_cells(began)

    def _reading(self, name: str) -> Any:
        return self._reader.answers[name]()

    async def _ask(self, verb: str, *, seconds: float | None = None, **options: Any) -> Any:
        return await self._reader.answer(verb, **options)

    async def ask_for_heartbeats(self) -> None:
        await ask_for_heartbeats(self._scheduler)

    async def target(self, seconds: float) -> int:
        return int(self._scheduler.adaptive_target(seconds))

    async def to_close(self, count: int) -> list[str]:
        found = self._scheduler.workers_to_close(n=count, attribute="name", key=self.together)
        return [str(name) for name in found]

    async def add_worker_plugin(self, name: str, pickled: bytes) -> None:
        await give_worker_plugin(self._scheduler, pickled, name)

    async def close(self) -> None:
        self._reader.stop()
