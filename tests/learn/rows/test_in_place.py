"""Algorithms without tasks: the same results; errors end all ranks, and tasks do what cannot be done without."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait
from gpucluster.dask_internals import scheduler_information
from gpucluster.learn import GaussianNB, LinearRegression, StandardScaler, run
from gpucluster.learn.communicators.mailbox import Mailbox
from gpucluster.learn.errors import InvalidData, RanksDisagree
from gpucluster.learn.rows import in_place
from gpucluster.learn.rows.block import Rows
from gpucluster.learn.rows.table import as_table

from tests.conftest import until
from tests.learn.shared import interrupted, refused, repeated

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


def test_no_task_is_run(dask_client: Client, kept: Any) -> None:
    """Also if y is on another worker than X."""
    rows, target = kept
    labels = (target > 5).persist()
    wait(labels)
    before = dask_client.run_on_scheduler(transitions)
    scaler, line = StandardScaler().fit(rows), LinearRegression().fit(rows, target)
    bayes = GaussianNB().fit(rows, labels)
    assert dask_client.run_on_scheduler(transitions) == before
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


def test_errors_of_blocks_are_raised(dask_client: Client) -> None:
    holed = X.copy()
    holed[70, 2] = np.inf
    lazy = da.from_array(holed, chunks=(30, -1)).persist()
    wait(lazy)
    refused(InvalidData, "X: contains infinity", lambda: StandardScaler().fit(lazy))
    with pytest.raises(InvalidData, match="y: must have one label per row"):
        GaussianNB().fit(lazy, da.ones((90, 2), chunks=(30, -1)).persist())


def slow(block: Any, seconds: float) -> int:
    time.sleep(seconds)
    return 1


def n_called(dask_worker: Any) -> int:
    """Return the number of calls that wait for a thread of a worker or run in one."""
    executor = dask_worker.executors["default"]
    return int(executor._work_queue.qsize()) + sum("slow" in str(frame) for frame in busy_frames())


def busy_frames() -> list[Any]:
    return [frame.f_code.co_name for frame in sys._current_frames().values()]


@pytest.mark.full
def test_workers_end_between_two_blocks(dask_client: Client) -> None:
    """50 blocks on two threads would take 25 s."""
    rows = da.zeros((50, 2), chunks=(1, -1)).persist()
    wait(rows)
    with interrupted(1.2):
        run(lambda rows: rows.total(slow, 1.0), rows, passes=1)
    until(lambda: sum(dask_client.run(n_called).values()) == 0, timeout=10)


def test_only_small_persisted_tables_run_in_place(dask_client: Client, kept: Any, monkeypatch: Any) -> None:
    table = as_table(*kept)
    monkeypatch.setattr(in_place, "PASSES_BYTES", 16 * 90 * 5 * 8)
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is not None
    monkeypatch.setattr(in_place, "PASSES_BYTES", 16 * 90 * 5 * 8 - 1)
    assert in_place.total_in_place(dask_client, table, first_and_last, (), joined) is None
    assert in_place.is_small(as_table(*kept))
    assert not in_place.is_small(as_table(kept[0] + 1))
    many = da.ones((200, 2), chunks=(1, -1)).persist()
    assert not in_place.is_small(as_table(many))


# -- requests to the scheduler ------------------------------------------

SMALL_VALUES = np.arange(40.0).reshape(20, 2)
MANY = 1e9


def kept_table() -> Any:
    rows = da.from_array(SMALL_VALUES, chunks=(5, 2), name=False).persist()
    wait(rows)
    return as_table(rows)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of blocks in each request to the scheduler for their workers."""
    counts: list[int] = []
    kept = scheduler_information.kept

    def counted(client: Client, keys: list[Any]) -> Any:
        counts.append(len(keys))
        return kept(client, keys)

    monkeypatch.setattr(scheduler_information, "kept", counted)
    return counts


def added(block: Any) -> float:
    return float(block.X.sum())


def lose(key: Any, dask_worker: Any) -> bool:
    held = key in dask_worker.data
    if held:
        del dask_worker.data[key]
    return held


@pytest.mark.parametrize("with_ranks", [False, True])
def test_workers_of_blocks_are_remembered_until_a_block_is_lost(
    dask_client: Client, requests: list[int], with_ranks: bool
) -> None:
    table = kept_table()

    def total() -> Any:
        if with_ranks:
            return in_place.run_ranks_in_place(dask_client, table, _on_rank, {}, passes=1)
        return in_place.total_in_place(dask_client, table, added, (), "sum")

    assert [total(), total(), total()] == [(SMALL_VALUES.sum(),)] * 3
    assert requests == [4]
    # A block is lost, for example because its worker was retired.
    key = table.X.__dask_keys__()[1][0]
    assert sum(dask_client.run(lose, key).values()) == 1
    assert total() is None
    # The next request to the scheduler finds no worker with the block: tasks have to compute it.
    dask_client.run_on_scheduler(_forget_holders, key)
    assert total() is None
    assert requests == [4, 4]


def _on_rank(shard: Any) -> float:
    return float(shard.communicator.allreduce(np.array([sum(added(block) for block in shard.blocks)]))[0])


def _forget_holders(key: Any, dask_scheduler: Any) -> None:
    task = dask_scheduler.tasks[key]
    for worker in list(task.who_has or ()):
        dask_scheduler.remove_replica(task, worker)


def test_the_limit_applies_to_remembered_tables(dask_client: Client, requests: list[int]) -> None:
    table = kept_table()
    assert in_place.assigned(dask_client, table, 1.0) is None
    assert in_place.assigned(dask_client, table, MANY) is not None
    assert in_place.assigned(dask_client, table, 1.0) is None
    assert requests == [4]


def test_the_tables_used_last_are_remembered(dask_client: Client, requests: list[int], monkeypatch: Any) -> None:
    monkeypatch.setattr(in_place, "MOST_TABLES", 2)
    first, second, third = (as_table((da.from_array(SMALL_VALUES, chunks=(5, 2)) + i).persist()) for i in range(3))
    for table in (first, second, third):
        wait(table.X)
    for table in (first, second, first, third, first, second):
        assert in_place.assigned(dask_client, table, MANY) is not None
    assert len(requests) == 4, "the third one replaced the second"


# -- algorithms ------------------------------------------

VALUES = np.random.default_rng(0).random((1000, 3))


def kept_on_workers(n_blocks: int = 4) -> Any:
    data = da.from_array(VALUES, chunks=(-(-len(VALUES) // n_blocks), 3), name=False).persist()
    wait(data)
    return data


def transitions(dask_scheduler: Any) -> int:
    return int(dask_scheduler.transition_counter)


def n_known(dask_worker: Any) -> tuple[int, int]:
    """Return the number of jobs with an open mailbox, and of connections that wait for the next job."""
    mailbox = Mailbox.of(dask_worker)
    return len(mailbox._queues), len(mailbox._kept)


def end_kept(dask_worker: Any) -> None:
    mailbox = Mailbox.of(dask_worker)
    for job in list(mailbox._kept):
        mailbox.close(job)


def wait_until_idle(client: Client) -> None:
    until(lambda: not any(jobs for jobs, _ in client.run(n_known).values()), timeout=30)


@pytest.fixture
def fresh_client(dask_client: Client) -> Client:
    """A client without kept connections of other tests."""
    dask_client.run(end_kept)
    return dask_client


def same(found: Any, times: int = 3) -> bool:
    wanted = run(repeated, VALUES, times=times)
    return bool(found[0] == wanted[0] == 1000 and np.allclose(found[1], wanted[1], rtol=1e-12))


def test_successive_runs_share_connections(fresh_client: Client) -> None:
    data = kept_on_workers()
    before = fresh_client.run_on_scheduler(transitions)
    found = [run(repeated, data, passes=3) for _ in range(3)]
    assert fresh_client.run_on_scheduler(transitions) == before
    assert all(map(same, found))
    assert set(fresh_client.run(n_known).values()) == {(0, 1)}
    # Half of the connections are closed: tasks do the work, and the other half is closed too.
    one, _ = fresh_client.run(os.getpid)
    fresh_client.run(end_kept, workers=[one])
    assert same(run(repeated, data, passes=3))
    assert fresh_client.run_on_scheduler(transitions) > before
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))
    assert set(fresh_client.run(n_known).values()) == {(0, 1)}


@pytest.mark.full
def test_tls_connections_are_kept() -> None:
    local = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, security=True, dashboard_address="127.0.0.1:0"
    )
    with local as cluster, Client(cluster) as client:
        data = kept_on_workers()
        before = client.run_on_scheduler(transitions)
        assert all(same(run(repeated, data, passes=3)) for _ in range(3))
        assert client.run_on_scheduler(transitions) == before
        assert set(client.run(n_known).values()) == {(0, 1)}
        client.run(end_kept)
        assert same(run(repeated, data, passes=3))
        wait_until_idle(client)


def test_results_equal_those_of_tasks_bit_by_bit(fresh_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    data = kept_on_workers()
    without = run(repeated, data, times=20, passes=20)
    monkeypatch.setattr(in_place, "PASSES_BYTES", 0)
    before = fresh_client.run_on_scheduler(transitions)
    tasks = run(repeated, data, times=20, passes=20)
    assert fresh_client.run_on_scheduler(transitions) > before
    assert [part.tobytes() for part in map(np.asarray, without)] == [part.tobytes() for part in map(np.asarray, tasks)]


def test_concurrent_runs_do_not_wait_for_each_other(fresh_client: Client) -> None:
    data = kept_on_workers()

    def work(_: int) -> Any:
        with fresh_client.as_current():
            return run(repeated, data, times=20, pause=0.01, passes=20)

    with ThreadPoolExecutor(4) as pool:
        assert all(same(result, times=20) for result in list(pool.map(work, range(4))))
    wait_until_idle(fresh_client)


def fails_on_one_rank(rows: Rows) -> None:
    rows.broadcast(0)
    if rows.communicator.rank == 1:  # type: ignore[attr-defined]
        raise LookupError("no such thing")
    while True:
        rows.total(len)


def test_an_error_of_one_rank_ends_the_others(fresh_client: Client) -> None:
    data = kept_on_workers()
    for _ in range(2):
        refused(LookupError, "no such thing", lambda: run(fails_on_one_rank, data, passes=3))
        wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


def leaves_early(rows: Rows) -> None:
    rows.broadcast(0)
    if rows.communicator.rank == 0:  # type: ignore[attr-defined]
        rows.total(len)


@pytest.mark.full
def test_a_rank_that_returns_early_is_an_error(fresh_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_place, "RETURN_SECONDS", 0.2)
    data = kept_on_workers()
    refused(RanksDisagree, "are still waited for by others", lambda: run(leaves_early, data, passes=3))
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_an_interruption_stops_the_workers(fresh_client: Client, n_blocks: int) -> None:
    """Even if one rank has all blocks and never waits for another one."""
    data = kept_on_workers(n_blocks)
    before = fresh_client.run_on_scheduler(transitions)
    with interrupted(1.5):
        run(repeated, data, times=100_000, pause=0.01, passes=3)
    assert fresh_client.run_on_scheduler(transitions) == before
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


@pytest.mark.full
def test_killed_worker_does_not_change_result(own_client: Client) -> None:
    data = kept_on_workers()
    assert same(run(repeated, data, passes=3))
    pids = own_client.run(os.getpid)
    before = own_client.run_on_scheduler(transitions)
    timer = threading.Timer(1.5, os.kill, [next(iter(pids.values())), signal.SIGKILL])
    timer.start()
    assert same(run(repeated, data, times=100, pause=0.05, passes=3), times=100)
    assert not timer.is_alive()
    assert own_client.run_on_scheduler(transitions) > before
    own_client.wait_for_workers(2, timeout=60)
    assert set(own_client.run(os.getpid).values()) != set(pids.values())


def test_long_runs_and_lazy_tables_use_tasks(fresh_client: Client) -> None:
    data = kept_on_workers()
    table = as_table(data)
    fits = in_place.PASSES_BYTES * 2 // data.nbytes
    assert in_place.are_short(table, 10)
    assert not in_place.are_short(table, 100 * fits)
    assert not in_place.are_short(as_table(data + 1), 10)
    arguments = fresh_client, table, repeated, {"times": 3}
    assert same((in_place.run_ranks_in_place(*arguments, passes=10) or [None])[0])
    assert in_place.run_ranks_in_place(*arguments, passes=10 * fits) is None
