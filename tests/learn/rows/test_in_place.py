"""Small tables that workers keep are asked for totals without tasks, wherever their parts are."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, wait
from gpucluster.learn import GaussianNB, LinearRegression, StandardScaler, run
from gpucluster.learn.errors import ClusterStopped, InvalidData
from gpucluster.learn.rows import in_place
from gpucluster.learn.rows.table import as_table

X = np.random.default_rng(0).random((90, 4))
Y = X @ np.array([1.0, 2.0, 3.0, 4.0])
CHUNKS = (10, 0, 50, 30)


@pytest.fixture
def kept(dask_client: Client) -> Iterator[Any]:
    """X and y, each wholly on another worker."""
    parts = []
    for array, address in zip((X, Y), dask_client.scheduler_info()["workers"], strict=True):
        lazy = da.from_array(array, chunks=(CHUNKS, *[(length,) for length in array.shape[1:]]), name=False)
        parts += dask_client.persist([lazy], workers=[address])
    wait(parts)
    yield parts


def n_transitions(dask_scheduler: Any) -> int:
    return int(dask_scheduler.transition_counter)


def test_no_task_is_run(dask_client: Client, kept: Any) -> None:
    """Also where y is on another worker than X."""
    rows, target = kept
    labels = (target > 5).persist()
    wait(labels)
    before = dask_client.run_on_scheduler(n_transitions)
    scaler, line, bayes = (
        StandardScaler().fit(rows),
        LinearRegression().fit(rows, target),
        GaussianNB().fit(rows, labels),
    )
    assert dask_client.run_on_scheduler(n_transitions) == before
    np.testing.assert_allclose(scaler.mean_, X.mean(axis=0))
    np.testing.assert_allclose(line.coef_, [1, 2, 3, 4])
    np.testing.assert_allclose(bayes.class_count_, np.bincount(Y > 5))


def test_neighbouring_blocks_are_combined_in_their_order(dask_client: Client, kept: Any) -> None:
    found = in_place.total_in_place(dask_client, as_table(*kept), first_and_last, (), joined)
    assert found == ([(0, 0), (1, 10), (2, 10), (3, 60)],)


def first_and_last(block: Any) -> list[tuple[int, int]]:
    return [(block.number, block.start)]


def joined(one: Any, other: Any) -> Any:
    return one + other


def test_what_a_block_refuses_is_told(dask_client: Client) -> None:
    holed = X.copy()
    holed[70, 2] = np.inf
    lazy = da.from_array(holed, chunks=(30, -1)).persist()
    wait(lazy)
    with pytest.raises(InvalidData, match="X: contains infinity"):
        StandardScaler().fit(lazy)
    with pytest.raises(InvalidData, match="y: one label per row"):
        GaussianNB().fit(lazy, da.ones((90, 2), chunks=(30, -1)).persist())


def test_what_a_worker_has_lost_needs_a_graph(dask_client: Client, kept: Any) -> None:
    def forget(key: Any, dask_worker: Any) -> None:
        if key in dask_worker.data:
            del dask_worker.data[key]

    table = as_table(kept[0])
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is not None
    dask_client.run(forget, table.X.__dask_keys__()[2][0])
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is None


def slow(block: Any, seconds: float) -> int:
    time.sleep(seconds)
    return 1


def n_called(dask_worker: Any) -> int:
    """Return how many calls wait for a thread of a worker, or have one."""
    executor = dask_worker.executors["default"]
    return int(executor._work_queue.qsize()) + sum("slow" in str(frame) for frame in busy_frames())


def busy_frames() -> list[Any]:
    return [frame.f_code.co_name for frame in sys._current_frames().values()]


def ways_to_end(client: Client, rows: Any) -> dict[str, Any]:
    return {
        "Ctrl-C": lambda: os.kill(os.getpid(), signal.SIGINT),
        "released data": lambda: client.cancel(rows, force=True),
    }


@pytest.mark.parametrize("way", ["Ctrl-C", "released data"])
@pytest.mark.full
def test_workers_end_between_two_blocks(dask_client: Client, way: str) -> None:
    """50 blocks on two threads would take 25 s."""
    rows = da.zeros((50, 2), chunks=(1, -1)).persist()
    wait(rows)
    timer = threading.Timer(1.2, ways_to_end(dask_client, rows)[way])
    timer.start()
    with pytest.raises((KeyboardInterrupt, ClusterStopped)):
        run(lambda rows: rows.total(slow, 1.0), rows, passes=1)
    timer.join()
    deadline = time.monotonic() + 10
    while sum(dask_client.run(n_called).values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sum(dask_client.run(n_called).values()) == 0


def test_large_ones_and_lazy_ones_are_not_asked(dask_client: Client, kept: Any, monkeypatch: Any) -> None:
    table = as_table(*kept)
    monkeypatch.setattr(in_place, "THREAD_BYTES", 90 * 5 * 8)
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is not None
    monkeypatch.setattr(in_place, "THREAD_BYTES", 90 * 5 * 8 - 1)
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is None
    assert in_place.is_small(as_table(*kept))
    assert not in_place.is_small(as_table(kept[0] + 1))
    many = da.ones((200, 2), chunks=(1, -1)).persist()
    assert not in_place.is_small(as_table(many))
