"""A long day of tasks over ``mpi://`` at a raised rate: right results, constant memory, files and threads.

``python -m tests.endurance.tasks --minutes 30`` makes one cluster of ranks and gives it typical work: many tiny tasks,
blocks that move, transposed arrays, shuffles, fits, and cancelled work. It samples the ranks, the process of the
cluster, and this process, which acts as a user's kernel.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import gpucluster
import numpy as np
import pandas as pd
from gpucluster import learn

from .place import place
from .report import begin, command
from .sampling import Samples, of_process, of_this
from .soak import Growth, grown

SAMPLE_SECONDS = 5.0


@dataclass
class TaskGrowth(Growth):
    """The computed tasks, and the growth."""

    ranks: int = 2
    protocol: str = "mpi"
    tasks: int = 0


class Work:
    """The computations of one client; each returns its number of tasks and whether the result was right."""

    def __init__(self, client: Any, seed: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        numbers = np.random.default_rng(0).normal(size=(20_000, 8))
        self._rows = client.persist(da.from_array(numbers, chunks=(5_000, 8)))
        self._inertia: float | None = None
        self.kinds: dict[str, Callable[[], tuple[int, bool]]] = {
            "tiny tasks": self.tiny,
            "blocks that move": self.blocks,
            "x + x.T": self.transpose,
            "shuffle": self.shuffle,
            "k-means": self.fit,
            "given up": self.give_up,
        }

    def tiny(self) -> tuple[int, bool]:
        n = self._random.randint(200, 1_000)
        squares = self._client.map(lambda number: number * number, range(n), pure=False)
        total = self._client.submit(sum, squares, pure=False).result(120)
        return n + 1, total == sum(number * number for number in range(n))

    def blocks(self) -> tuple[int, bool]:
        sizes = [self._random.choice([10, 10**4, 10**6]) for _ in range(8)]
        ranks = list(self._client.scheduler_info()["workers"])
        made = [
            self._client.submit(np.full, size, 1.0, workers=ranks[place % len(ranks)], pure=False)
            for place, size in enumerate(sizes)
        ]
        sums = [
            self._client.submit(np.sum, block, workers=ranks[(place + 1) % len(ranks)], pure=False)
            for place, block in enumerate(made)
        ]
        return 2 * len(sizes), [int(found) for found in self._client.gather(sums)] == sizes

    def transpose(self) -> tuple[int, bool]:
        n = self._random.choice([600, 1_200])
        x = da.arange(n * n, chunks=n * n // 6, dtype="f8").reshape(n, n).rechunk(n // 3)
        wanted = np.arange(n * n, dtype="f8").sum()
        total = self._client.compute((x + x.T).sum(), optimize_graph=True).result(120)
        return 30, bool(np.isclose(total, 2 * wanted))

    def shuffle(self) -> tuple[int, bool]:
        def part(seed: int) -> pd.DataFrame:
            return pd.DataFrame({"key": np.random.default_rng(seed).integers(0, 50, 20_000), "value": 1})

        counted = dd.from_map(part, range(4)).shuffle("key").map_partitions(len).sum()
        return 20, self._client.compute(counted).result(120) == 80_000

    def fit(self) -> tuple[int, bool]:
        with learn.config_context(communicator="mpi"):
            found = float(learn.KMeans(4, random_state=0, n_init=1, max_iter=10).fit(self._rows).inertia_)
        self._inertia = self._inertia or found
        return 8, bool(np.isclose(found, self._inertia))

    def give_up(self) -> tuple[int, bool]:
        slow = self._client.map(lambda n: time.sleep(0.01) or np.ones(10**5), range(100), pure=False)
        gathering = self._client.submit(lambda parts: len(parts), slow, pure=False)
        time.sleep(self._random.random() / 5)
        self._client.cancel([gathering, *slow])
        return 50, self._client.submit(int, 7, pure=False).result(60) == 7


def live(report: TaskGrowth, seconds: float) -> Samples:
    """Compute for `seconds` and fill in the report."""
    options = {"n_workers": report.ranks, "protocol": report.protocol, "idle_timeout_seconds": None}
    with gpucluster.create("mpi", **options) as cluster, cluster.get_client() as client:
        work = Work(client, report.seed)
        draw = random.Random(report.seed)
        pids = {worker.name: worker.pid for worker in cluster.model.workers}
        sources = {f"rank {name}": (lambda pid=pid: of_process(pid)) for name, pid in sorted(pids.items())}
        samples = Samples({**sources, "supervisor": lambda: of_process(cluster.model.pid or 0), "kernel": of_this})
        began, sampled = time.monotonic(), 0.0
        while (now := time.monotonic()) - began < seconds:
            name = draw.choice(list(work.kinds))
            n, right = work.kinds[name]()
            report.tasks += n
            report.done[name] += 1
            if not right:
                report.failures.append(f"{name} came out wrong after {report.tasks} tasks")
            if now - sampled > SAMPLE_SECONDS:
                sampled = now
                samples.take()
        report.seconds = round(time.monotonic() - began, 1)
        if {worker.name: worker.pid for worker in cluster.model.workers} != pids:
            report.failures.append("the ranks have changed")
    report.samples = len(samples.rows)
    report.growth = samples.growth()
    report.failures += grown(report.growth)
    return samples


def main() -> None:
    parser = command("tasks", __doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--protocol", default="mpi", choices=("mpi", "tcp", "tls"))
    options = begin(parser)
    report = TaskGrowth(options.seed, ranks=options.ranks, protocol=options.protocol)
    with place(jupyter=False):
        samples = live(report, 60 * options.minutes)
    report.end(options.out, rows=samples.rows)


if __name__ == "__main__":
    main()
