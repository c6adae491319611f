"""The scheduler's work for k-means, and the result when a worker dies."""

import logging
import os
import signal
import threading
import time
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, wait
from gpucluster.learn import KMeans
from gpucluster.learn.rows import in_place
from sklearn.datasets import load_digits

from tests.conftest import until

DIGITS = load_digits().data


def repeated(block_info: Any = None) -> Any:
    """Make one block of a larger table: digits with small changes; unlike scattered data, it can be recomputed."""
    rows = np.arange(*block_info[None]["array-location"][0])
    return DIGITS[rows % len(DIGITS)] + (rows // len(DIGITS))[:, None] % 7 * 0.01


def large(n_rows: int, n_blocks: int) -> Any:
    return da.map_blocks(repeated, chunks=((n_rows // n_blocks,) * n_blocks, (64,)), dtype=float, meta=np.empty((0, 0)))


def transitions(dask_scheduler: Any = None) -> int | None:
    """Return how often a task has changed its state, once the ranks' tasks are forgotten."""
    if any("gpucluster-rank" in str(key) for key in dask_scheduler.tasks):
        return None
    return int(dask_scheduler.transition_counter)


def settled(client: Client) -> int:
    return int(until(lambda: client.run_on_scheduler(transitions), timeout=90))


@pytest.mark.parametrize("tasks", [False, True])
def test_scheduler_load_is_independent_of_iterations_and_rows(
    dask_client: Client, tasks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tasks:
        monkeypatch.setattr(in_place, "PASSES_BYTES", 0)
    counts, iterations = {}, []
    for n_rows in (4_000, 16_000):
        X = large(n_rows, 4).persist()
        wait(X)
        for n_iter in (2, 10, 30):
            before = settled(dask_client)
            iterations.append(KMeans(10, init=DIGITS[:10], max_iter=n_iter, tol=0).fit(X).n_iter_)
            counts[n_rows, n_iter] = settled(dask_client) - before
    assert iterations[:2] == iterations[3:5] == [2, 10]
    assert min(iterations[2], iterations[5]) > 12
    assert len(set(counts.values())) == 1, counts
    assert 0 < max(counts.values()) <= 10 if tasks else not any(counts.values())


@pytest.mark.processes
@pytest.mark.full
def test_killed_worker_changes_nothing(own_client: Client, caplog: pytest.LogCaptureFixture) -> None:
    parameters: dict[str, Any] = {"init": "random", "n_init": 5, "tol": 0, "max_iter": 60, "random_state": 2}
    X = large(40 * len(DIGITS) // 4 * 4, 4)
    victim = next(iter(own_client.run(os.getpid).values()))
    killed: list[float] = []

    def kill() -> None:
        until(lambda: any("gpucluster-rank" in str(key) for keys in own_client.processing().values() for key in keys))
        time.sleep(0.5)
        killed.append(time.monotonic())
        os.kill(victim, signal.SIGKILL)

    with caplog.at_level(logging.WARNING, "gpucluster.learn"):
        thread = threading.Thread(target=kill)
        thread.start()
        ours = KMeans(10, **parameters).fit(X)
        ended = time.monotonic()
        thread.join(30)
    assert killed
    assert killed[0] < ended
    assert "A worker was lost" in caplog.text
    undisturbed = KMeans(10, **parameters).fit(X.compute(scheduler="threads"))
    np.testing.assert_allclose(ours.cluster_centers_, undisturbed.cluster_centers_, rtol=1e-6, atol=1e-6)
    assert ours.inertia_ == pytest.approx(undisturbed.inertia_, rel=1e-9)
    assert ours.n_iter_ == undisturbed.n_iter_
