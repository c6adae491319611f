"""Which results take the most memory. Sent to a scheduler elsewhere with ``reader.py``."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

from ...dask_internals.scheduler_state import is_of_a_worker, kernel_of, results_of

MOST = 10
SLICE = 2000  # Number of results to add up before the scheduler continues its own work.
AGAIN_SECONDS, SHARE = 2.0, 0.05
"""An answer is reused for some seconds, longer if it took long: adding up takes 5 % of the time at most."""
_ON_GPU = ("cupy", "cudf", "cuml", "rmm", "pylibcudf", "cupyx")


class LargestResults:
    """Adds up the results of a scheduler by collection."""

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self._last: dict[str, Any] = {}
        self._until = float("-inf")

    def forget(self) -> None:
        self._until = float("-inf")

    async def read(self) -> dict[str, Any]:
        """Return the total and the largest ones, as the fields of ``LargestResults``."""
        if time.monotonic() < self._until:
            return self._last
        spent, since = 0.0, time.perf_counter()
        found: dict[str, _Sum] = {}
        total = looked = 0
        for worker in list(self._scheduler.workers.values()):
            name = str(worker.name)
            for group, kind, size, type_, clients in results_of(worker):
                if (one := found.get(group)) is None:
                    one = found[group] = _Sum(kind)
                one.add(size, name, type_, clients)
                total += size
                looked += 1
                if looked % SLICE == 0:
                    spent += time.perf_counter() - since
                    await asyncio.sleep(0)
                    since = time.perf_counter()
        largest = sorted(found.items(), key=lambda item: -item[1].size)[:MOST]
        self._last = {"total_bytes": total, "results": [one.fields(group) for group, one in largest if one.size]}
        spent += time.perf_counter() - since
        self._until = time.monotonic() + max(AGAIN_SECONDS, spent / SHARE)
        return self._last


class _Sum:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.size = self.number = 0
        self.workers: Counter[str] = Counter()
        self.type = ""
        self.clients: set[str] = set()

    def add(self, size: int, worker: str, type_: str, clients: tuple[str, ...]) -> None:
        self.size += size
        self.number += 1
        self.workers[worker] += size
        self.type = self.type or type_
        self.clients.update(clients)

    def fields(self, group: str) -> dict[str, Any]:
        people = [client for client in self.clients if not is_of_a_worker(client)]
        kernels = {kernel_of(client) for client in people}
        return {
            "name": self.kind,
            "group": group,
            "bytes": self.size,
            "n_results": self.number,
            "type": self.type,
            "on_gpu": self.type.split(".")[0] in _ON_GPU,
            "workers": [name for name, _ in self.workers.most_common(MOST)],
            "n_workers": len(self.workers),
            "kernels": sorted(kernel for kernel in kernels if kernel is not None),
            "n_clients": len(people),
        }
