"""What the grader sends to a kernel that talks to the same scheduler by a connection of its own."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pytest
from gpucluster.lessons.grading.remote.objects import RemoteObject, pickled


def known(client: Any, key: Any) -> bool:
    found: bool = client.run_on_scheduler(lambda dask_scheduler, key: key in dask_scheduler.tasks, key=key)
    return found


@pytest.mark.full
def test_the_scheduler_knows_the_futures_before_they_are_sent(client: Any) -> None:
    for _ in range(5):
        # Large enough that the scheduler needs a moment for the graph.
        future = client.compute(da.from_array(np.ones(1_000_000), chunks=100_000).sum())
        pickled({"parts": [future]}, (RemoteObject,))
        assert known(client, future.key)


def test_futures_within_collections_count_too(client: Any) -> None:
    kept = da.ones(1_000_000, chunks=100_000).persist()
    pickled([kept], (RemoteObject,))
    assert all(known(client, key) for key in kept.__dask_graph__())


def test_what_has_no_futures_needs_no_cluster() -> None:
    assert b"numbers" in pickled({"numbers": [1, 2]}, (RemoteObject,))
