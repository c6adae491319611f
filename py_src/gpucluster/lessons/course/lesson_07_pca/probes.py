"""How many results a task reads at once, and how many tasks wait for each other, as the scheduler sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distributed import SchedulerPlugin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from distributed import Client, Future

_NAME = "gpucluster-lesson-fan-in"


class _Watcher(SchedulerPlugin):
    name = _NAME

    def __init__(self, keys: set[Any]) -> None:
        self.sources, self.depths = keys, dict.fromkeys(keys, 0)
        self.most = self.most_sources = self.longest = 0
        self.scheduler: Any = None

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish != "processing":
            return
        read = {task.key for task in self.scheduler.tasks[key].dependencies} & self.depths.keys()
        if read or not self.sources:
            self.depths[key] = 1 + max((self.depths[one] for one in read), default=0)
            self.most = max(self.most, len(read))
            self.most_sources = max(self.most_sources, len(read & self.sources))
            self.longest = max(self.longest, self.depths[key])


def _seen(dask_scheduler: Any) -> tuple[int, int, int]:
    watcher = dask_scheduler.plugins[_NAME]
    return watcher.most, watcher.most_sources, watcher.longest


class FanIn:
    """Note how many results tasks read at once inside a ``with`` block, beginning with some futures.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    futures : sequence of distributed.Future, optional
        The blocks; only tasks that need them, or what was made of them, count. Without any, all tasks do.

    Attributes
    ----------
    most : int
        The most results that one task read, known when the block has ended.
    most_blocks : int
        The most of the blocks that one task read.
    longest : int
        Of how many tasks the longest chain was made, each of which read the result of the one before.
    """

    def __init__(self, client: Client, futures: Sequence[Future[Any]] = ()) -> None:
        self.client, self.keys = client, {future.key for future in futures}
        self.most = self.most_blocks = self.longest = 0

    def __enter__(self) -> FanIn:
        self.client.register_plugin(_Watcher(self.keys))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.most, self.most_blocks, self.longest = self.client.run_on_scheduler(_seen)
        self.client.unregister_scheduler_plugin(_NAME)
