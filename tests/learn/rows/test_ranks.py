"""Algorithms on workers: placement of blocks, results when a worker dies, and no rank waits forever."""

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

from tests.conftest import until
from tests.learn.shared import interrupted, repeated

pytestmark = pytest.mark.timeout(150)


def numbers(block: Block) -> tuple[int, int | None, int]:
    return block.number, block.start, len(block)


def described(rows: Rows) -> list[Any]:
    return rows.map_blocks(numbers)


def rows_of_rank(shard: Any) -> tuple[int, int, list[int], int]:
    return os.getpid(), shard.communicator.rank, [block.number for block in shard.blocks], shard.n_threads


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_same_result_for_any_blocks(dask_client: Client, split: Any, n_blocks: int) -> None:
    values = np.random.default_rng(0).random((1000, 3))
    count, sums, _ = run(repeated, values, times=4)
    data = split(values, n_blocks, empty=n_blocks > 1)
    for passes in (None, 1):
        found = run(repeated, data, times=4, passes=passes)
        assert found[0] == count == 1000
        np.testing.assert_allclose(found[1], sums, rtol=1e-12)


@pytest.mark.parametrize("passes", [None, 1])
def test_numbers_and_first_rows_of_blocks(dask_client: Client, split: Any, passes: int | None) -> None:
    assert run(described, split(np.zeros((10, 1)), 3, empty=True), passes=passes) == [
        (0, 0, 2), (1, 2, 0), (2, 2, 3), (3, 5, 5)
    ]  # fmt: skip


def test_each_worker_has_half_of_the_blocks(dask_client: Client) -> None:
    found = run_on_ranks(rows_of_rank, da.zeros((80, 1), chunks=(10, 1)))
    assert len({pid for pid, *_ in found}) == 2
    assert os.getpid() not in {pid for pid, *_ in found}
    assert [rank for _, rank, *_ in found] == [0, 1]
    assert sorted(number for *_, numbers, _ in found for number in numbers) == list(range(8))
    assert all(len(numbers) == 4 for *_, numbers, _ in found)


def test_concurrent_runs_do_not_wait_for_each_other(dask_client: Client) -> None:
    """Each of them first has a task on one of the two threads, and needs the other thread too."""
    data = da.ones((1000, 2), chunks=(100, 2)).persist()

    def work(_: int) -> Any:
        with dask_client.as_current():
            return run(repeated, data, times=30, pause=0.01)

    with ThreadPoolExecutor(4) as pool:
        assert [result[0] for result in pool.map(work, range(4))] == [1000] * 4


@pytest.mark.full
def test_killed_worker_does_not_change_result(own_client: Client, caplog: pytest.LogCaptureFixture) -> None:
    values = np.random.default_rng(1).random((4000, 5))
    expected = run(repeated, values * 2.0, times=40)
    victim = next(iter(own_client.run(os.getpid).values()))
    data = da.from_array(values, chunks=(500, 5), name=False).map_blocks(lambda block: block * 2.0, dtype=float)
    timer = threading.Timer(1.5, os.kill, [victim, signal.SIGKILL])
    timer.start()
    found = run(repeated, data, times=40, pause=0.1)
    timer.join()
    assert "A worker was lost" in caplog.text
    own_client.wait_for_workers(2, timeout=60)
    assert victim not in own_client.run(os.getpid).values()
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def kill_last_worker(shard: Any) -> None:
    if shard.communicator.rank == shard.communicator.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    shard.communicator.barrier()


@pytest.mark.full
def test_function_that_kills_worker_raises(own_client: Client) -> None:
    with pytest.raises(WorkersLost, match="see the cluster's log"):
        run_on_ranks(kill_last_worker, da.zeros((8, 1), chunks=(2, 1)))


def fails(rows: Rows) -> None:
    raise LookupError("no such thing")


def test_errors_are_raised(dask_client: Client) -> None:
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
    until(lambda: set(client.run(_left).values()) == {(0, 0, 0)}, timeout=20)


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_an_interruption_stops_the_workers(dask_client: Client, n_blocks: int) -> None:
    """Even if one rank has all blocks and never waits for another one."""
    with interrupted(1.5):
        run(repeated, da.ones((100, 2), chunks=(100 // n_blocks, 2)), times=100_000, pause=0.01)
    nothing_is_left(dask_client)
    assert run(repeated, da.ones((100, 2), chunks=(10, 2)), times=3)[0] == 100
    nothing_is_left(dask_client)


def _known(dask_scheduler: Any) -> int:
    return sum(str(key).startswith("gpucluster-rank") for key in dask_scheduler.tasks)


def test_scheduler_forgets_long_ranks(dask_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without garbage collection: a wait that times out leaves a reference cycle."""
    monkeypatch.setattr(ranks, "POLL_SECONDS", 0.05)
    gc.disable()
    try:
        run(repeated, da.ones((100, 2), chunks=(25, 2)), times=20, pause=0.01)
        until(lambda: dask_client.run_on_scheduler(_known) == 0, timeout=20)
    finally:
        gc.enable()


def working(shard: Any) -> None:
    while True:
        time.sleep(0.01)
        shard.communicator.raise_if_cancelled()


def test_interrupt_stops_between_operations(dask_client: Client) -> None:
    with interrupted(1.5):
        run_on_ranks(working, da.ones((100, 2), chunks=(25, 2)))
    nothing_is_left(dask_client)


@pytest.mark.parametrize("n_blocks", [1, 4])
@pytest.mark.full
def test_ranks_end_when_their_client_is_gone(dask_client: Client, n_blocks: int) -> None:
    """For example because the kernel of a notebook is restarted."""
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


@pytest.mark.full
def test_data_of_another_cluster(dask_client: Client) -> None:
    local = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster, set_as_default=False) as other:
        theirs = other.persist(da.ones((8, 1), chunks=(2, 1)))
        for passes in (None, 1):
            with pytest.raises(InvalidData, match="on a different cluster"):
                run(repeated, theirs + 1, times=1, passes=passes)
        with other.as_current():
            assert run(repeated, theirs + 1, times=1)[0] == 8


def set_event(begun: Any) -> None:
    """Set the event. The last tasks may begin without a client, while their worker is being closed."""
    with suppress(RuntimeError):
        begun.set()


def endless(block: Any, begun: Any) -> float:
    set_event(begun)
    time.sleep(60)
    return 1.0


def one_pass(rows: Any, *, begun: Any) -> Any:
    return rows.total(endless, begun)


def iterations(rows: Any, *, begun: Any) -> Any:
    set_event(begun)
    while True:
        time.sleep(0.01)
        rows.total(len)


@pytest.mark.timeout(90)
@pytest.mark.full
def test_stopping_cluster_ends_every_wait(site: Any) -> None:
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
def test_data_that_are_released_during_a_run(dask_client: Client) -> None:
    """For example because a lesson that shares the cluster is closed."""
    data = da.zeros((8, 1), chunks=(4, 1)).map_blocks(slow, meta=np.empty((0, 0))).persist()
    timer = threading.Timer(0.5, dask_client.cancel, [data], {"force": True})
    timer.start()
    with pytest.raises(ClusterStopped, match="its input data was released"):
        run(iterations, data, begun=threading.Event())
    timer.join()
