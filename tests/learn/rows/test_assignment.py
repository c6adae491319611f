"""Who is asked for which block is remembered, as long as it is true."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, wait
from gpucluster.dask_internals import scheduler_information
from gpucluster.learn.rows import assignment
from gpucluster.learn.rows.assignment import assigned
from gpucluster.learn.rows.in_place import total_in_place
from gpucluster.learn.rows.ranks_in_place import run_ranks_in_place
from gpucluster.learn.rows.table import as_table

VALUES = np.arange(40.0).reshape(20, 2)
MANY = 1e9


def kept_table() -> Any:
    rows = da.from_array(VALUES, chunks=(5, 2), name=False).persist()
    wait(rows)
    return as_table(rows)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many blocks the scheduler was asked for, each time that it was."""
    asked: list[int] = []
    kept = scheduler_information.kept

    def counted(client: Client, keys: list[Any]) -> Any:
        asked.append(len(keys))
        return kept(client, keys)

    monkeypatch.setattr(scheduler_information, "kept", counted)
    return asked


def added(block: Any) -> float:
    return float(block.X.sum())


def lose(key: Any, dask_worker: Any) -> bool:
    held = key in dask_worker.data
    if held:
        del dask_worker.data[key]
    return held


@pytest.mark.parametrize("with_ranks", [False, True])
def test_the_scheduler_is_asked_again_only_when_it_is_true_no_more(
    dask_client: Client, questions: list[int], with_ranks: bool
) -> None:
    table = kept_table()

    def total() -> Any:
        if with_ranks:
            return run_ranks_in_place(dask_client, table, _on_rank, {}, passes=1)
        return total_in_place(dask_client, table, added, (), "sum")

    assert [total(), total(), total()] == [(VALUES.sum(),)] * 3
    assert questions == [4]
    # A block is not where it was, as when its worker was retired.
    key = table.X.__dask_keys__()[1][0]
    assert sum(dask_client.run(lose, key).values()) == 1
    assert total() is None
    # So the scheduler is asked, which knows of none: a graph computes it anew.
    dask_client.run_on_scheduler(_forget_holders, key)
    assert total() is None
    assert questions == [4, 4]


def _on_rank(shard: Any) -> float:
    return float(shard.communicator.allreduce(np.array([sum(added(block) for block in shard.blocks)]))[0])


def _forget_holders(key: Any, dask_scheduler: Any) -> None:
    task = dask_scheduler.tasks[key]
    for worker in list(task.who_has or ()):
        dask_scheduler.remove_replica(task, worker)


def test_a_limit_counts_also_for_what_is_remembered(dask_client: Client, questions: list[int]) -> None:
    table = kept_table()
    assert assigned(dask_client, table, 1.0) is None
    assert assigned(dask_client, table, MANY) is not None
    assert assigned(dask_client, table, 1.0) is None
    assert questions == [4]


def test_the_tables_used_last_are_remembered(dask_client: Client, questions: list[int], monkeypatch: Any) -> None:
    monkeypatch.setattr(assignment, "MOST_TABLES", 2)
    first, second, third = (as_table((da.from_array(VALUES, chunks=(5, 2)) + i).persist()) for i in range(3))
    for table in (first, second, third):
        wait(table.X)
    for table in (first, second, first, third, first, second):
        assert assigned(dask_client, table, MANY) is not None
    assert len(questions) == 4, "the second one was forgotten for the third"
