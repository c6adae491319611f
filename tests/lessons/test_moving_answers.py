"""What the checks of lesson 12 take for granted; what workers send each other is written down by them."""

from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from gpucluster.learn import run_on_ranks
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_08_six_steps.probes import MessageLog, size_of
from gpucluster.lessons.course.lesson_12_moving_bytes import checks, checks_sharing
from gpucluster.lessons.probes.transfers import bytes_between_workers


def test_the_twelve_pairs_have_all_seven_words() -> None:
    words = [checks.true_path(one, other) for one, other in checks.TABLE]
    assert len(words) == 12
    assert set(words) == set(checks.WORDS)
    assert all(checks.true_path(other, one) == word for word, (one, other) in zip(words, checks.TABLE, strict=True))


def test_random_pairs_have_all_words_and_all_numbers_of_copies() -> None:
    rng = np.random.default_rng(0)
    pairs = [checks.random_pair(rng) for _ in range(2000)]
    assert {checks.true_path(*pair) for pair in pairs} == set(checks.WORDS)
    assert {checks.true_copies(*pair) for pair in pairs} == {0, 1, 2}


def test_the_best_fit_is_the_best() -> None:
    rng = np.random.default_rng(1)
    sizes, seconds = checks.random_link(rng, 0.1)
    alpha, per_byte = checks.best_fit(sizes, seconds)
    least = checks.misfit(sizes, seconds, alpha, per_byte)
    for factor in (0.97, 1.03):
        assert checks.misfit(sizes, seconds, alpha * factor, per_byte) > least
        assert checks.misfit(sizes, seconds, alpha, per_byte * factor) > least


def test_a_fit_without_weights_is_far_off() -> None:
    """What the lesson calls a failure without an error, for its own sizes and ten per cent of noise."""
    rng = np.random.default_rng(2)
    alpha, sizes = 1e-4, np.array([1, 1e3, 1e4, 1e5, 1e6, 4e6, 16e6])
    without, with_weights = [], []
    for _ in range(40):
        seconds = (alpha + sizes / 2e9) * np.exp(0.1 * rng.normal(size=len(sizes)))
        without.append(np.polyfit(sizes, seconds, 1)[1])
        with_weights.append(checks.best_fit(sizes, seconds)[0])
    off = [float(np.median(np.abs(np.array(found) / alpha - 1))) for found in (without, with_weights)]
    assert off[0] > 5 * off[1]
    assert max(without) > 2 * alpha
    assert min(without) < 0.5 * alpha


@pytest.mark.full
def test_a_shuffle_moves_as_many_bytes_as_its_formula_says(client: Any) -> None:
    rng = np.random.default_rng(3)
    workers = len(client.ncores())
    ratios = []
    for _ in range(3):
        tables = [checks_sharing.random_table(rng, 100_000, 2) for _ in range(2)]
        left, right = (dd.from_pandas(one, npartitions=2 * workers).persist() for one in tables)
        moved = bytes_between_workers(client, left.merge(right, on="key", shuffle_method="p2p"))
        ratios.append(moved / checks_sharing.true_bytes(*tables, workers))
    # A worker that has nothing to do may take a partition of another one, which is no part of the shuffle.
    assert min(ratios) == pytest.approx(1, rel=0.15), ratios


def test_a_clock_that_stands_still_is_no_time() -> None:
    def ping_pong(comm: Any, n_bytes: int, repeats: int, warm_up: int, clock: Any) -> float:
        message = np.zeros(n_bytes, dtype=np.uint8)
        for _ in range(repeats + warm_up):
            if comm.rank == 0:
                comm.Send(message, 1)
                comm.Recv(message, 1)
            else:
                comm.Recv(message, 0)
                comm.Send(message, 0)
        return 0.0

    result = check("12.2", ping_pong, seed=0)
    assert [finding.expected for finding in result.findings if not finding.passed] == [
        "Rank 0 returns the seconds of one way, on average over the repeats"
    ]


class Sums(NamedTuple):
    count: float
    values: np.ndarray


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros((3, 4)), 96), (2.5, 8), (None, 0), ("four", 4), (Sums(1.0, np.zeros(5, dtype=np.float32)), 28),
        ({0: [1, 2], 1: (np.int64(3), b"xy")}, 26),
    ],
)  # fmt: skip
def test_the_size_of_a_message_is_that_of_its_numbers(value: Any, expected: int) -> None:
    assert size_of(value) == expected


def three_rounds(shard: Any) -> float:
    found = 0.0
    for _ in range(3):
        found = float(shard.communicator.allreduce(np.full(6, float(shard.communicator.rank)))[0])
    return found


def is_recording(dask_worker: Any) -> tuple[str, bool]:
    from gpucluster.learn.communicators.workers import WorkerCommunicator

    return WorkerCommunicator._send.__name__, hasattr(dask_worker, "_gpucluster_sent")


@pytest.mark.full
def test_each_allreduce_of_two_workers_is_two_messages(client: Any) -> None:
    with client.as_current():
        X = da.ones((40, 2), chunks=(10, 2)).persist()
        with MessageLog(client) as log:
            assert run_on_ranks(three_rounds, X) == [1.0, 1.0]
    workers = sorted(client.scheduler_info()["workers"])
    rounds = [message for message in log.messages if message.operation == "allreduce" and message.bytes == 48]
    assert len(rounds) == 6
    for number in {message.number for message in rounds}:
        pairs = sorted((message.source, message.target) for message in rounds if message.number == number)
        assert pairs == [(workers[0], workers[1]), (workers[1], workers[0])]
    assert [message.seconds for message in log.messages] == sorted(message.seconds for message in log.messages)
    assert log.bytes >= 6 * 48
    assert len(log) == len(log.messages)
    assert set(client.run(is_recording).values()) == {("_send", False)}


@pytest.mark.full
def test_a_log_that_was_never_closed_does_not_count_twice(client: Any) -> None:
    MessageLog(client).__enter__()  # the cell was interrupted
    with client.as_current():
        X = da.ones((40, 2), chunks=(10, 2)).persist()
        with MessageLog(client) as log:
            run_on_ranks(three_rounds, X)
    assert len([message for message in log.messages if message.bytes == 48]) == 6
    assert set(client.run(is_recording).values()) == {("_send", False)}
