"""What workers send each other is written down by the workers, and nothing is left in them afterwards."""

from __future__ import annotations

from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import pytest
from gpucluster.learn import run_on_ranks
from gpucluster.lessons.course.lesson_08_six_steps.probes import MessageLog, size_of


class Sums(NamedTuple):
    count: float
    values: np.ndarray


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros((3, 4)), 96),
        (2.5, 8),
        (None, 0),
        ("four", 4),
        (Sums(1.0, np.zeros(5, dtype=np.float32)), 28),
        ({0: [1, 2], 1: (np.int64(3), b"xy")}, 26),
    ],
)
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


def test_a_log_that_was_never_closed_does_not_count_twice(client: Any) -> None:
    MessageLog(client).__enter__()  # the cell was interrupted
    with client.as_current():
        X = da.ones((40, 2), chunks=(10, 2)).persist()
        with MessageLog(client) as log:
            run_on_ranks(three_rounds, X)
    assert len([message for message in log.messages if message.bytes == 48]) == 6
    assert set(client.run(is_recording).values()) == {("_send", False)}
