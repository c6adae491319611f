"""A worker that dies takes a part of the training data with it; Dask makes that part again."""

from __future__ import annotations

import os
import signal
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from gpucluster.learn import NearestNeighbors
from sklearn.datasets import load_digits

pytestmark = pytest.mark.full

DIGITS = load_digits().data


def test_neighbours_after_a_worker_was_killed() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        model = NearestNeighbors(algorithm="brute").fit(da.from_array(DIGITS, chunks=(300, -1)))
        before = model.kneighbors(DIGITS[:50])
        pids: dict[str, Any] = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        after = model.kneighbors(DIGITS[:50])
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
