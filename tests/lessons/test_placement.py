"""Which worker holds which blocks, and the order of rows that this gives."""

from typing import Any

import dask.array as da
import numpy as np
from gpucluster.lessons.probes.placement import blocks_by_worker, spread, worker_order


def test_blocks_are_dealt_to_the_workers_in_turn(client: Any) -> None:
    rows = np.arange(50.0).reshape(25, 2)
    with client.as_current():
        array = spread(client, da.from_array(rows, chunks=((6, 7, 5, 4, 3), 2)))
        assert array.chunks == ((6, 7, 5, 4, 3), (2,))
        assert list(blocks_by_worker(client, array).values()) == [[0, 2, 4], [1, 3]]
        assert np.array_equal(array.compute(), rows)


def test_rows_put_together_by_worker_are_all_there_in_another_order(client: Any) -> None:
    labels = np.arange(40)
    with client.as_current():
        array = spread(client, da.from_array(labels, chunks=10))
        found = worker_order(client, array)
    assert found.tolist() == [*range(10), *range(20, 30), *range(10, 20), *range(30, 40)]


def test_a_worker_without_blocks_is_named(client: Any) -> None:
    first = sorted(client.scheduler_info()["workers"])[0]
    with client.as_current():
        array = da.ones(20, chunks=5).persist(workers=[first], allow_other_workers=False)
        assert list(blocks_by_worker(client, array).values()) == [[0, 1, 2, 3], []]
