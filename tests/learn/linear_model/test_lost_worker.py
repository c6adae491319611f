"""A worker that is killed during a fit."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from gpucluster.learn import LogisticRegression

pytestmark = pytest.mark.full


def rows_of(block: Any, *, seed: int) -> Any:
    """Return the same random rows whenever a block is computed."""
    return np.random.default_rng([seed, len(block)]).normal(size=(len(block), 24)) * np.logspace(0, 1, 24)


def labels(X: Any) -> Any:
    return (X @ np.linspace(-1, 1, 24) > 2).astype(int) + (X[:, 0] > 1)


@pytest.mark.timeout(120)
def test_a_worker_killed_during_a_fit_does_not_change_the_result() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        X = da.concatenate([da.zeros((n, 24), chunks=-1).map_blocks(rows_of, seed=n) for n in (10_000, 8_000, 12_000)])
        y = X.map_blocks(labels, drop_axis=1, dtype=int)
        options: dict[str, Any] = {"tol": 1e-7, "max_iter": 1000}
        model = LogisticRegression(**options)
        expected = model.fit(X, y)
        coef, n_iter = expected.coef_.copy(), int(expected.n_iter_[0])

        victim = next(iter(client.run(os.getpid).values()))
        killed: list[int] = []

        def kill_when_ranks_run() -> None:
            while not any(key.startswith("gpucluster-rank-") for key in map(str, _processing(client))):
                time.sleep(0.01)
            time.sleep(0.05)
            # Still at it?
            killed.append(sum(str(key).startswith("gpucluster-rank-") for key in _processing(client)))
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill_when_ranks_run)
        killer.start()
        again = LogisticRegression(**options).fit(X, y)
        killer.join()
        assert killed == [2]
        assert victim not in client.run(os.getpid).values()
        # Sums of other blocks differ in their last digits, so iterations may.
        assert abs(int(again.n_iter_[0]) - n_iter) <= 0.1 * n_iter
        np.testing.assert_allclose(again.coef_, coef, rtol=1e-4, atol=1e-5)


def _processing(client: Client) -> list[Any]:
    """Return the keys of the tasks that workers are busy with."""
    return [key for keys in client.processing().values() for key in keys]
