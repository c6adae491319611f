"""Workers that communicate by MPI with each other, and by TLS with all others: used, lost, started again."""

import builtins
import os
import signal
import threading
import time
from contextlib import suppress

import dask.array as da
import gpucluster
import numpy as np
import psutil
import pytest
from distributed import Client, wait
from gpucluster.cli.tables import cluster_card
from gpucluster.client.display.card import card_html
from gpucluster.comm.mpi.world import parse
from gpucluster.learn import (
    PCA,
    KMeans,
    LogisticRegression,
    MLPClassifier,
    NearestNeighbors,
    TruncatedSVD,
    config_context,
    run,
    run_on_ranks,
)
from gpucluster.learn.communicators.mailbox import Mailbox
from gpucluster.learn.errors import RanksDisagree
from gpucluster.protocol.models import Network
from sklearn.cluster import KMeans as LocalKMeans
from sklearn.datasets import load_digits

from tests.backends.seen import messages
from tests.mpi import require_mpi

require_mpi("dask_mpi")

DIGITS, LABELS = load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def cluster(shared_site):
    return shared_site.running(backend="mpi", n_workers=2, protocol="mpi", idle_timeout_seconds=None)


@pytest.fixture
def client(shared_site, cluster):
    shared_site.wait_for(cluster.id, lambda model: model.n_workers == 2)
    with Client(gpucluster.connect(cluster.id)) as made:
        yield made


def addresses(client: Client) -> list[str]:
    return list(client.scheduler_info(n_workers=-1)["workers"])


def sent_by_mpi(client: Client) -> int:
    """Return how many connections between ranks there are."""

    def count() -> int:
        from gpucluster.comm.mpi import engine

        assert engine._engine is not None
        return len(engine._engine._channels)

    return sum(client.run(count).values())


def test_workers_are_ranks_of_one_world(cluster, client):
    assert cluster.network is Network.TLS
    assert client.scheduler.address.startswith("tls://")
    found = [parse(address) for address in addresses(client)]
    assert {location.rank for location in found} == {0, 1}
    assert len({location.world for location in found}) == 1


def test_blocks_move_between_ranks_with_right_results(client):
    x = da.random.default_rng(0).random((2000, 2000), chunks=(500, 500)).persist()
    wait(x)
    whole = x.compute()
    np.testing.assert_allclose((x + x.T).compute(), whole + whole.T)
    assert sent_by_mpi(client) > 0
    first, second = addresses(client)
    kept = client.scatter(np.arange(10**6), workers=[first])
    moved = client.submit(lambda block: int(block.sum()), kept, workers=[second], allow_other_workers=False)
    assert moved.result() == 10**6 * (10**6 - 1) // 2
    start = DIGITS[:10]
    found = KMeans(10, init=start).fit(da.from_array(DIGITS, chunks=(300, 64)))
    expected = LocalKMeans(10, init=start, n_init=1).fit(DIGITS)
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)


@pytest.mark.full
def test_ranks_that_are_lost_come_back_as_another_world(shared_site, cluster, client, wait_until):
    kept = client.submit(pow, 2, 10)
    assert kept.result() == 1024
    before = set(addresses(client))
    os.kill(client.submit(os.getpid, workers=["1"], pure=False).result(), signal.SIGKILL)
    wait_until(lambda: len(addresses(client)) == 2 and not before & set(addresses(client)))
    worlds = {parse(address).world for address in addresses(client)}
    assert len(worlds) == 1
    assert worlds.isdisjoint({parse(address).world for address in before})
    assert client.submit(lambda value: value + 1, kept).result() == 1025
    x = da.ones((1000, 1000), chunks=500)
    assert (x + x.T).sum().compute() == 2 * 10**6


def test_tasks_cancelled_during_a_transfer_disturb_no_others(client):
    first, second = addresses(client)
    for place in range(8):
        block = client.submit(np.ones, 2**22 + place, workers=[first], pure=False)
        moved = client.submit(len, block, workers=[second], pure=False)
        wait(block)
        if place % 2:
            moved.cancel()
        else:
            block.cancel()
        del block, moved
    kept = client.submit(np.ones, 2**21, workers=[first], pure=False)
    assert client.submit(len, kept, workers=[second], pure=False).result(30) == 2**21


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.full
def test_estimators_talk_over_mpi_on_these_ranks(client):
    X, y = da.from_array(DIGITS, chunks=(450, 64)), da.from_array(LABELS, chunks=450)
    fits = {
        "k-means": lambda: KMeans(10, init=DIGITS[:10]).fit(X).inertia_,
        "PCA": lambda: PCA(5).fit(X).explained_variance_,
        "truncated SVD": lambda: TruncatedSVD(5).fit(X).singular_values_,
        "neighbours": lambda: np.asarray(NearestNeighbors(n_neighbors=3).fit(X).kneighbors(X)[0]).sum(),
        "logistic regression": lambda: LogisticRegression(max_iter=30).fit(X / 16, y).coef_,
        "MLP": lambda: MLPClassifier((8,), max_iter=3, random_state=0).fit(X / 16, y).coefs_[0],
    }
    for name, fit in fits.items():
        expected = fit()
        with config_context(communicator="mpi"):
            found = fit()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7, err_msg=name)

    def keep(shard):
        builtins.communicator_of_test = shard.communicator

    with config_context(communicator="mpi"):
        run_on_ranks(keep, X)
    used = client.run(lambda: bool(builtins.communicator_of_test.comm))
    assert list(used.values()) == [False, False], "MPI has two thousand, and each fit would take one"


@pytest.mark.full
def test_short_runs_use_mpi_without_tasks(client, wait_until):
    X = da.from_array(DIGITS, chunks=(450, 64)).persist()
    wait(X)
    start = DIGITS[:10]
    expected = LocalKMeans(10, init=start, n_init=1).fit(DIGITS)

    def fit():
        with config_context(communicator="mpi"):
            found = KMeans(10, init=start).fit(X)
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)

    def fails(rows):
        one = rows.communicator
        one.allreduce(np.ones(2))
        if one.rank == 1:
            raise LookupError("no such thing")
        while True:
            one.allreduce(np.ones(2))

    def kept(dask_worker):
        return [str(each.outgoing._mpi is not None) for each in Mailbox.of(dask_worker)._kept.values()]

    def expire(dask_worker):
        mailbox = Mailbox.of(dask_worker)
        for job in list(mailbox._kept):
            mailbox._expire(job)

    before = client.run_on_scheduler(transitions)
    for _ in range(3):
        fit()
    with config_context(communicator="mpi"), pytest.raises(LookupError, match="no such thing"):
        run(fails, X, passes=3)
    fit()
    timer = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with config_context(communicator="mpi"), pytest.raises(KeyboardInterrupt):
        run(lambda rows: [rows.total(lambda block: time.sleep(0.01) or 1) for _ in range(10**5)], X, passes=3)
    wait_until(lambda: client.run(kept) == dict.fromkeys(addresses(client), []))
    fit()
    fit()
    assert client.run_on_scheduler(transitions) == before
    assert client.run(kept) == dict.fromkeys(addresses(client), ["True"])
    client.run(expire)
    assert client.run(kept) == dict.fromkeys(addresses(client), [])


def transitions(dask_scheduler):
    return dask_scheduler.transition_counter


@pytest.mark.full
def test_ranks_that_call_different_operations_get_an_error(client):
    X = da.from_array(DIGITS, chunks=(450, 64))

    def disagrees(shard):
        one = shard.communicator
        return one.allreduce(np.ones(2)) if one.rank == 0 else one.gather("x")

    def leaves(shard):
        one = shard.communicator
        return one.allreduce(1) if one.rank == 0 else None

    with config_context(communicator="mpi"):
        with pytest.raises(RanksDisagree, match=r"Rank \d calls \w+ \(1\), but rank \d calls \w+ \(1\)\. "):
            run_on_ranks(disagrees, X)
        with pytest.raises(RanksDisagree, match=r"returned already \(1\).* others: rank 0 calls allreduce \(1\)\. "):
            run_on_ranks(leaves, X)
        assert len(run_on_ranks(lambda shard: shard.communicator.size, X)) == 2


def test_ctrl_c_reaches_the_ranks(client, wait_until):
    X = da.from_array(DIGITS, chunks=(450, 64))

    def for_ever(shard):
        while True:
            shard.communicator.allreduce(np.ones(3))

    timer = threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with config_context(communicator="mpi"), pytest.raises(KeyboardInterrupt):
        run_on_ranks(for_ever, X)
    with config_context(communicator="mpi"):
        assert len(run_on_ranks(lambda shard: shard.communicator.size, X)) == 2
    wait_until(lambda: not any(client.processing().values()))


def started_again(client: Client, before: set[str]) -> bool:
    return len(addresses(client)) == 2 and not before & set(addresses(client))


def test_a_task_cannot_finalize_mpi(client):
    def finalize() -> None:
        from mpi4py import MPI

        MPI.Finalize()

    with pytest.raises(RuntimeError, match=r"its worker is a rank, which needs MPI until the cluster stops"):
        client.submit(finalize, pure=False).result(30)


@pytest.mark.full
def test_aborted_program_is_restarted(cluster, client, wait_until):
    before = set(addresses(client))
    first = min(before)

    def abort() -> None:
        from mpi4py import MPI

        MPI.COMM_WORLD.Abort(7)

    with suppress(OSError):  # Its answer never comes.
        client.run(abort, workers=[first])
    wait_until(lambda: started_again(client, before), timeout=30)
    reported = messages(gpucluster.connect(cluster.id))
    assert f"rank {parse(first).rank} called MPI_Abort" in reported
    assert client.submit(pow, 2, 5).result(30) == 32
    # They are requested once each time, even if some ranks end before the others, so there is no delay yet.
    assert "They will be requested again" not in reported


def test_card_shows_that_ranks_do_not_encrypt(cluster):
    assert "Messages between ranks go over MPI and are not encrypted; everything else is." in cluster.notes
    assert "encrypted, but not between ranks; only you can connect" in cluster_card(cluster)
    assert "(encrypted, but not between ranks; only you can connect)" in card_html(cluster, None)


@pytest.mark.full
def test_hanging_rank_is_lost_and_restarted(cluster, client, wait_until):
    before = set(addresses(client))
    pid = client.submit(os.getpid, workers=["1"], pure=False).result()
    os.kill(pid, signal.SIGSTOP)
    # Of tasks that may run anywhere, Dask gives the rank that hangs its part.
    ones = client.map(np.ones, [2**20 + number for number in range(6)], pure=False)
    waiting = client.map(len, ones, pure=False)
    wait_until(lambda: started_again(client, before))
    assert client.gather(waiting) == [2**20 + number for number in range(6)]
    assert not psutil.pid_exists(pid)
    reported = messages(gpucluster.connect(cluster.id))
    assert "rank 1 did not continue for 12 seconds after it was stopped" in reported
