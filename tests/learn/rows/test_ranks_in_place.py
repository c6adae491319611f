"""Ranks without tasks: the same results, and whatever goes wrong ends them everywhere or is done by tasks."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait
from gpucluster.learn import run
from gpucluster.learn.communicators.mailbox import Mailbox
from gpucluster.learn.errors import RanksDisagree
from gpucluster.learn.rows import ranks_in_place
from gpucluster.learn.rows.block import Block, Rows
from gpucluster.learn.rows.table import as_table

VALUES = np.random.default_rng(0).random((1000, 3))
LARGE = 1 << 17
"""Numbers that do not fit into one reading of a socket."""


def _sums(block: Block, scale: float) -> tuple[float, Any, Any]:
    return float(len(block)), scale * block.X.sum(axis=0), np.full(LARGE, scale)


def repeated(rows: Rows, *, times: int = 3, pause: float = 0.0) -> tuple[float, Any, float]:
    """An algorithm that depends on each of its iterations."""
    scale = 1.0
    for _ in range(times):
        time.sleep(pause)
        count, sums, many = rows.total(_sums, scale)
        scale = 1 + 1e-3 * float(sums.sum() / count)
    return count, sums, float(many[-1])


def kept_on_workers(n_blocks: int = 4) -> Any:
    data = da.from_array(VALUES, chunks=(-(-len(VALUES) // n_blocks), 3), name=False).persist()
    wait(data)
    return data


def transitions(dask_scheduler: Any) -> int:
    return int(dask_scheduler.transition_counter)


def n_known(dask_worker: Any) -> tuple[int, int]:
    """Return how many jobs a worker takes messages of, and how many connections wait for the next job."""
    mailbox = Mailbox.of(dask_worker)
    return len(mailbox._queues), len(mailbox._kept)


def end_kept(dask_worker: Any) -> None:
    mailbox = Mailbox.of(dask_worker)
    for job in list(mailbox._kept):
        mailbox.close(job)


def wait_until_idle(client: Client) -> None:
    deadline = time.monotonic() + 30
    while any(jobs for jobs, _ in client.run(n_known).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(jobs for jobs, _ in client.run(n_known).values())


@pytest.fixture
def fresh_client(dask_client: Client) -> Client:
    """A client without kept connections of other tests."""
    dask_client.run(end_kept)
    return dask_client


def same(found: Any, times: int = 3) -> bool:
    wanted = run(repeated, VALUES, times=times)
    return bool(found[0] == wanted[0] == 1000 and np.allclose(found[1], wanted[1], rtol=1e-12))


def test_one_after_the_other_on_the_same_connections(fresh_client: Client) -> None:
    data = kept_on_workers()
    before = fresh_client.run_on_scheduler(transitions)
    found = [run(repeated, data, passes=3) for _ in range(3)]
    assert fresh_client.run_on_scheduler(transitions) == before
    assert all(map(same, found))
    assert set(fresh_client.run(n_known).values()) == {(0, 1)}
    # Half of them are gone: tasks do it, and what is left of them ends.
    one, _ = fresh_client.run(os.getpid)
    fresh_client.run(end_kept, workers=[one])
    assert same(run(repeated, data, passes=3))
    assert fresh_client.run_on_scheduler(transitions) > before
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))
    assert set(fresh_client.run(n_known).values()) == {(0, 1)}


def test_connections_that_are_no_plain_sockets_are_kept_as_well() -> None:
    local = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, security=True, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        data = kept_on_workers()
        before = client.run_on_scheduler(transitions)
        assert all(same(run(repeated, data, passes=3)) for _ in range(3))
        assert client.run_on_scheduler(transitions) == before
        assert set(client.run(n_known).values()) == {(0, 1)}
        client.run(end_kept)
        assert same(run(repeated, data, passes=3))
        wait_until_idle(client)


def test_bit_for_bit_the_same_as_tasks(fresh_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    data = kept_on_workers()
    without = run(repeated, data, times=20, passes=20)
    monkeypatch.setattr(ranks_in_place, "PASSES_BYTES", 0)
    before = fresh_client.run_on_scheduler(transitions)
    tasks = run(repeated, data, times=20, passes=20)
    assert fresh_client.run_on_scheduler(transitions) > before
    assert [part.tobytes() for part in map(np.asarray, without)] == [part.tobytes() for part in map(np.asarray, tasks)]


def test_two_at_once_do_not_wait_for_each_other(fresh_client: Client) -> None:
    data = kept_on_workers()
    results: list[Any] = []

    def work() -> None:
        with fresh_client.as_current():
            results.append(run(repeated, data, times=20, pause=0.01, passes=20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert all(same(result, times=20) for result in results)
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
        with pytest.raises(LookupError, match="no such thing"):
            run(fails_on_one_rank, data, passes=3)
        wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


def leaves_early(rows: Rows) -> None:
    rows.broadcast(0)
    if rows.communicator.rank == 0:  # type: ignore[attr-defined]
        rows.total(len)


@pytest.mark.full
def test_a_rank_that_others_wait_for_in_vain(fresh_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks_in_place, "RETURN_SECONDS", 0.2)
    data = kept_on_workers()
    with pytest.raises(RanksDisagree, match="are still waited for by others"):
        run(leaves_early, data, passes=3)
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_an_interruption_ends_it_on_the_workers_too(fresh_client: Client, n_blocks: int) -> None:
    """Even if one rank has all blocks, which never waits for another one."""
    data = kept_on_workers(n_blocks)
    timer = threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    before = fresh_client.run_on_scheduler(transitions)
    with pytest.raises(KeyboardInterrupt):
        run(repeated, data, times=100_000, pause=0.01, passes=3)
    assert fresh_client.run_on_scheduler(transitions) == before
    wait_until_idle(fresh_client)
    assert same(run(repeated, data, passes=3))


@pytest.mark.full
def test_a_worker_dies_and_nothing_changes() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        data = kept_on_workers()
        assert same(run(repeated, data, passes=3))
        pids = client.run(os.getpid)
        before = client.run_on_scheduler(transitions)
        timer = threading.Timer(1.5, os.kill, [next(iter(pids.values())), signal.SIGKILL])
        timer.start()
        assert same(run(repeated, data, times=100, pause=0.05, passes=3), times=100)
        assert not timer.is_alive()
        assert client.run_on_scheduler(transitions) > before
        client.wait_for_workers(2, timeout=60)
        assert set(client.run(os.getpid).values()) != set(pids.values())


def test_what_is_not_short_or_not_there_is_for_tasks(fresh_client: Client) -> None:
    data = kept_on_workers()
    table = as_table(data)
    fits = ranks_in_place.PASSES_BYTES * 2 // data.nbytes
    assert ranks_in_place.are_short(table, 10)
    assert not ranks_in_place.are_short(table, 100 * fits)
    assert not ranks_in_place.are_short(as_table(data + 1), 10)
    arguments = fresh_client, table, repeated, {"times": 3}
    assert same((ranks_in_place.run_ranks_in_place(*arguments, passes=10) or [None])[0])
    assert ranks_in_place.run_ranks_in_place(*arguments, passes=10 * fits) is None
