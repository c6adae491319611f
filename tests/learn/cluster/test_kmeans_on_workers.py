"""The scheduler's work for k-means does not grow with iterations or rows."""

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
