"""Small tables that workers keep are asked for totals without tasks, wherever their parts are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, wait
from gpucluster.learn import GaussianNB, LinearRegression, StandardScaler
from gpucluster.learn.errors import InvalidData
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


def test_large_ones_and_lazy_ones_are_not_asked(dask_client: Client, kept: Any) -> None:
    assert in_place.is_small(as_table(*kept))
    assert not in_place.is_small(as_table(kept[0] + 1))
    many = da.ones((200, 2), chunks=(1, -1)).persist()
    assert not in_place.is_small(as_table(many))
