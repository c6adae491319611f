"""Algorithms on workers: where their blocks are, what becomes of them when a worker dies, and nobody waits for ever."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import dask.array as da
import gpucluster
import numpy as np
import pytest
from distributed import Client, Event, LocalCluster, wait
from gpucluster.learn import run, run_on_ranks
from gpucluster.learn.communicators.mailbox import Mailbox
from gpucluster.learn.errors import ClusterStopped, InvalidData, WorkersLost
from gpucluster.learn.rows import ranks
from gpucluster.learn.rows.block import Block, Rows
from gpucluster.learn.rows.waiting import computed

pytestmark = pytest.mark.timeout(150)


def _sums(block: Block, scale: float) -> tuple[float, Any]:
    return float(len(block)), scale * block.X.sum(axis=0)


def repeated(rows: Rows, *, times: int, pause: float = 0.0) -> tuple[float, Any]:
    """An algorithm that depends on each of its iterations."""
    scale = 1.0
    for _ in range(times):
        time.sleep(pause)
        count, sums = rows.total(_sums, scale)
        scale = 1 + 1e-3 * float(sums.sum() / count)
    return count, sums


def numbers(block: Block) -> tuple[int, int | None, int]:
    return block.number, block.start, len(block)


def described(rows: Rows) -> list[Any]:
    return rows.map_blocks(numbers)


def rows_of_rank(shard: Any) -> tuple[int, int, list[int], int]:
    return os.getpid(), shard.communicator.rank, [block.number for block in shard.blocks], shard.n_threads


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_everywhere_the_same(dask_client: Client, split: Any, n_blocks: int) -> None:
    values = np.random.default_rng(0).random((1000, 3))
    count, sums = run(repeated, values, times=4)
    data = split(values, n_blocks, empty=n_blocks > 1)
    for passes in (None, 1):
        found = run(repeated, data, times=4, passes=passes)
        assert found[0] == count == 1000
        np.testing.assert_allclose(found[1], sums, rtol=1e-12)


@pytest.mark.parametrize("passes", [None, 1])
def test_blocks_know_their_place(dask_client: Client, split: Any, passes: int | None) -> None:
    assert run(described, split(np.zeros((10, 1)), 3, empty=True), passes=passes) == [
        (0, 0, 2), (1, 2, 0), (2, 2, 3), (3, 5, 5)
    ]  # fmt: skip


def test_each_worker_takes_its_part(dask_client: Client) -> None:
    found = run_on_ranks(rows_of_rank, da.zeros((80, 1), chunks=(10, 1)))
    assert len({pid for pid, *_ in found}) == 2
    assert os.getpid() not in {pid for pid, *_ in found}
    assert [rank for _, rank, *_ in found] == [0, 1]
    assert sorted(number for *_, numbers, _ in found for number in numbers) == list(range(8))
    assert all(len(numbers) == 4 for *_, numbers, _ in found)


def test_two_at_once_do_not_wait_for_each_other(dask_client: Client) -> None:
    """Each has a task on one of two threads first, and needs the other one too."""
    data = da.ones((1000, 2), chunks=(100, 2)).persist()
    results: list[Any] = []

    def work() -> None:
        with dask_client.as_current():
            results.append(run(repeated, data, times=30, pause=0.01))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert all(result[0] == 1000 for result in results)


def test_the_scheduler_hears_nothing_of_iterations_and_rows(dask_client: Client) -> None:
    def transitions(dask_scheduler: Any) -> int:
        return int(dask_scheduler.transition_counter)

    def cost(rows: int, times: int) -> int:
        data = da.ones((rows, 2), chunks=(rows // 4, 2)).persist()
        run(repeated, data, times=1)
        before = dask_client.run_on_scheduler(transitions)
        run(repeated, data, times=times)
        return int(dask_client.run_on_scheduler(transitions) - before)

    small = cost(1000, 5)
    assert 0 < small < 60
    assert abs(cost(1000, 50) - small) <= 4
    assert abs(cost(100_000, 5) - small) <= 4


def _slow(block: Any) -> Any:
    return block * 2.0


@pytest.mark.full
def test_a_worker_dies_and_nothing_changes() -> None:
    values = np.random.default_rng(1).random((4000, 5))
    expected = run(repeated, values * 2.0, times=40)
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster) as client:
        pids = client.run(os.getpid)
        data = da.from_array(values, chunks=(500, 5), name=False).map_blocks(_slow, dtype=float)
        killed: list[int] = []

        def kill() -> None:
            time.sleep(1.5)
            pid = next(iter(pids.values()))
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        thread = threading.Thread(target=kill)
        thread.start()
        found = run(repeated, data, times=40, pause=0.1)
        thread.join()
        client.wait_for_workers(2, timeout=60)
        assert killed and killed[0] not in client.run(os.getpid).values()
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def suicide(shard: Any) -> None:
    if shard.communicator.rank == shard.communicator.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    shard.communicator.barrier()


@pytest.mark.full
def test_a_function_that_kills_its_worker_is_given_up() -> None:
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster), pytest.raises(WorkersLost, match="Look at the cluster's log"):
        run_on_ranks(suicide, da.zeros((8, 1), chunks=(2, 1)))


def fails(rows: Rows) -> None:
    raise LookupError("no such thing")


def test_errors_come_through(dask_client: Client) -> None:
    with pytest.raises(LookupError, match="no such thing"):
        run(fails, da.zeros((8, 1), chunks=(2, 1)))

    def broken(block: Any) -> Any:
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="the file is gone"):
        run(repeated, da.zeros((8, 1), chunks=(2, 1)).map_blocks(broken, dtype=float), times=1)


def _left(dask_worker: Any) -> tuple[int, int, int]:
    exchange = Mailbox.of(dask_worker)
    ranks = [key for key in dask_worker.state.tasks if str(key).startswith("gpucluster-rank")]
    return len(exchange._queues), len(exchange._linked), len(ranks)


def nothing_is_left(client: Client) -> None:
    deadline = time.monotonic() + 20
    while set(client.run(_left).values()) != {(0, 0, 0)} and time.monotonic() < deadline:
        time.sleep(0.1)
    assert set(client.run(_left).values()) == {(0, 0, 0)}


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_an_interruption_ends_it_on_the_workers_too(dask_client: Client, n_blocks: int) -> None:
    """Even if one rank has all blocks, which never waits for another one."""
    timer = threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(repeated, da.ones((100, 2), chunks=(100 // n_blocks, 2)), times=100_000, pause=0.01)
    nothing_is_left(dask_client)
    assert run(repeated, da.ones((100, 2), chunks=(10, 2)), times=3)[0] == 100


def _known(dask_scheduler: Any) -> int:
    return sum(str(key).startswith("gpucluster-rank") for key in dask_scheduler.tasks)


def test_nothing_is_left_of_ranks_that_took_long(dask_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting for Python to collect garbage: a wait that times out leaves a circle."""
    monkeypatch.setattr(ranks, "POLL_SECONDS", 0.05)
    gc.disable()
    try:
        run(repeated, da.ones((100, 2), chunks=(25, 2)), times=20, pause=0.01)
        deadline = time.monotonic() + 20
        while dask_client.run_on_scheduler(_known) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert dask_client.run_on_scheduler(_known) == 0
    finally:
        gc.enable()


def working(shard: Any) -> None:
    while True:
        time.sleep(0.01)
        shard.communicator.raise_if_cancelled()


def test_an_interruption_ends_work_between_two_operations(dask_client: Client) -> None:
    timer = threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_on_ranks(working, da.ones((100, 2), chunks=(25, 2)))
    nothing_is_left(dask_client)


@pytest.mark.parametrize("n_blocks", [1, 4])
@pytest.mark.full
def test_it_ends_when_its_client_is_gone(dask_client: Client, n_blocks: int) -> None:
    """As when the kernel of a notebook is started again."""
    program = (
        "import os, threading, time\n"
        "import dask.array as da\n"
        "from distributed import Client\n"
        "from gpucluster.learn import run\n"
        "def endless(rows):\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "        rows.total(len)\n"
        f"client = Client({dask_client.scheduler.address!r})\n"
        "threading.Timer(3, os._exit, [0]).start()\n"
        f"run(endless, da.ones((100, 2), chunks=({100 // n_blocks}, 2)))\n"
    )
    run(repeated, da.ones((100, 2), chunks=(10, 2)), times=3)
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        ranks = 0
        while process.poll() is None:
            ranks = max(ranks, *(left[2] for left in dask_client.run(_left).values()))
            time.sleep(0.1)
    assert process.returncode == 0
    assert ranks == 1
    nothing_is_left(dask_client)


def test_nothing_is_left_on_workers(dask_client: Client) -> None:
    def left(dask_worker: Any) -> tuple[int, int]:
        exchange = dask_worker._gpucluster_mailbox
        return len(exchange._queues), len(exchange._linked)

    run(repeated, da.ones((100, 2), chunks=(10, 2)), times=3)
    deadline = time.monotonic() + 20
    while set(dask_client.run(left).values()) != {(0, 0)} and time.monotonic() < deadline:
        time.sleep(0.1)
    assert set(dask_client.run(left).values()) == {(0, 0)}


def test_data_of_another_cluster(dask_client: Client) -> None:
    local = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster, set_as_default=False) as other:
        theirs = other.persist(da.ones((8, 1), chunks=(2, 1)))
        for passes in (None, 1):
            with pytest.raises(InvalidData, match="kept on another cluster"):
                run(repeated, theirs + 1, times=1, passes=passes)
        with other.as_current():
            assert run(repeated, theirs + 1, times=1)[0] == 8


def say(begun: Any) -> None:
    """Set the event. The last tasks may begin while their worker is being closed, and have no client any more."""
    with suppress(RuntimeError):
        begun.set()


def endless(block: Any, begun: Any) -> float:
    say(begun)
    time.sleep(60)
    return 1.0


def one_pass(rows: Any, *, begun: Any) -> Any:
    return rows.total(endless, begun)


def iterations(rows: Any, *, begun: Any) -> Any:
    say(begun)
    while True:
        time.sleep(0.01)
        rows.total(len)


@pytest.mark.timeout(90)
@pytest.mark.full
def test_every_way_of_waiting_tells_that_the_cluster_was_stopped(site: Any) -> None:
    model = site.running(n_workers=2, threads_per_worker=4)
    client = gpucluster.connect(model.id).get_client()
    data = da.zeros((8, 1), chunks=(4, 1))
    held = data.persist()
    wait(held)
    ways = {
        "one pass": lambda begun: run(one_pass, data, passes=1, begun=begun),
        "iterations": lambda begun: run(iterations, data, begun=begun),
        "without tasks": lambda begun: run(iterations, held, passes=3, begun=begun),
        "ranks": lambda begun: run_on_ranks(lambda shard, begun: iterations(shard, begun=begun), data, begun=begun),
        "blocks": lambda begun: computed(data.map_blocks(endless, begun, meta=data._meta)),
    }

    def attempt(name: str) -> Any:
        return ways[name](Event(name, client=client))

    with ThreadPoolExecutor(len(ways)) as pool:
        attempts = {name: pool.submit(attempt, name) for name in ways}
        for name in ways:
            assert Event(name, client=client).wait(timeout=60), name
        site.control.stop(model.id)
        for future in attempts.values():
            with pytest.raises(ClusterStopped, match=f"The cluster '{model.name}' (is being|was) stopped"):
                future.result(60)
    client.close()


def slow(block: Any) -> Any:
    time.sleep(5)
    return block


@pytest.mark.timeout(90)
def test_data_that_were_released_meanwhile(dask_client: Client) -> None:
    """As when a lesson that shares the cluster is closed."""
    data = da.zeros((8, 1), chunks=(4, 1)).map_blocks(slow, meta=np.empty((0, 0))).persist()

    def cancel() -> None:
        dask_client.cancel(data, force=True)

    timer = threading.Timer(0.5, cancel)
    timer.start()
    with pytest.raises(ClusterStopped, match="data that it needs were released"):
        run(iterations, data, begun=threading.Event())
    timer.join()
