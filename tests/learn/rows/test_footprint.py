"""Data larger than memory: fits know their size before computing anything, and keep nothing."""

from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, SchedulerPlugin
from gpucluster.learn import DBSCAN, run
from gpucluster.learn.errors import NotSupported
from gpucluster.learn.rows.placement import block_bytes
from gpucluster.learn.rows.table import as_table

MEBIBYTE = 2**20
MEMORY_LIMIT = 500 * MEBIBYTE
ROWS = MEBIBYTE
"""Rows of a block; with two columns of 8 bytes, a block has 16 MiB."""

pytestmark = pytest.mark.timeout(120)


class Held(SchedulerPlugin):
    """Records the most bytes of results held at a time, and the largest result that a client kept."""

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.forget()

    def forget(self) -> None:
        self.most = self.kept = self.n_tasks = 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish != "memory":
            return
        self.n_tasks += 1
        self.most = max(self.most, sum(worker.nbytes for worker in self.scheduler.workers.values()))
        task = self.scheduler.tasks[key]
        if task.who_wants:
            self.kept = max(self.kept, task.nbytes)


@pytest.fixture(scope="module")
def watched() -> Iterator[Held]:
    """Two workers with little memory, and a record of what they hold."""
    local = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=MEMORY_LIMIT, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster):
        plugin = Held(cluster.scheduler)
        cluster.scheduler.add_plugin(plugin)
        yield plugin


@pytest.fixture
def held(watched: Held) -> Held:
    watched.forget()
    return watched


def block_of(rows: Any, block_info: Any = None) -> Any:
    return np.full((len(rows), 2), float(block_info[0]["chunk-location"][0]))


def array(n_blocks: int) -> Any:
    rows = da.zeros((n_blocks * ROWS, 2), chunks=(ROWS, 2))
    return rows.map_blocks(block_of, meta=np.empty((0, 0)))


def part_of(number: int) -> pd.DataFrame:
    return pd.DataFrame(np.full((ROWS, 2), float(number)), columns=["a", "b"])


def frame(n_blocks: int) -> Any:
    """Return a data frame with an unknown number of rows."""
    return dd.from_map(part_of, range(n_blocks), meta=part_of(0).iloc[:0])


def sums(block: Any) -> Any:
    return block.X.sum(axis=0)


def iterated(rows: Any, *, times: int) -> list[float]:
    for _ in range(times):
        found = rows.total(sums)
    return [type(rows).__name__, *map(float, found / ROWS)]


@pytest.mark.parametrize("make", [array, frame])
@pytest.mark.full
def test_data_larger_than_memory_are_not_kept(held: Held, make: Any) -> None:
    n_blocks = 40  # 640 MiB, of 1,000 MiB that both workers have
    assert run(iterated, make(n_blocks), times=2) == ["Stream", *[sum(range(n_blocks))] * 2]
    assert held.n_tasks >= 2 * n_blocks
    assert held.kept < MEBIBYTE
    assert held.most < 10 * 16 * MEBIBYTE


@pytest.mark.parametrize("make", [array, frame])
@pytest.mark.full
def test_data_that_fits_is_computed_once_and_kept(held: Held, make: Any) -> None:
    n_blocks = 12
    assert run(iterated, make(n_blocks), times=2) == ["Shard", *[sum(range(n_blocks))] * 2]
    assert held.kept >= 16 * MEBIBYTE
    assert held.most >= n_blocks * 16 * MEBIBYTE


def test_too_large_data_is_refused_before_computing(held: Held) -> None:
    with pytest.raises(NotSupported, match="must fit in the workers' memory"):
        DBSCAN().fit(array(40))
    assert held.n_tasks == 0


def test_without_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory limit of this process decides."""
    monkeypatch.setattr("distributed.system.MEMORY_LIMIT", 2 * 3 * 16 * MEBIBYTE)
    with dask.config.set(scheduler="sync"):
        assert run(iterated, array(3), times=1)[0] == "Shard"
        assert run(iterated, frame(4), times=1)[0] == "Stream"


@pytest.mark.full
def test_bytes_of_blocks() -> None:
    X = da.zeros((10, 3), chunks=((4, 0, 6), 3), dtype=np.float32)
    assert block_bytes(as_table(X)) == [48, 0, 72]
    labels = np.array(["a", "b"] * 5)
    assert block_bytes(as_table(X, labels, np.ones(10))) == [48 + 16 + 32, 0, 72 + 24 + 48]
    words = da.from_array(labels.astype(object), chunks=((4, 0, 6),))
    assert block_bytes(as_table(X, words))[0] > 48 + 4 * (8 + 40)
