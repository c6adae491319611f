"""Lesson 04: workers that crash and come back, and what the scheduler's log says about it."""

from __future__ import annotations

from typing import Any

from distributed import wait
from gpucluster.lessons.figures.recovery import layers
from gpucluster.lessons.simulations.recovery import TaskHistory, addresses, crash, restored


def add(*values: int) -> int:
    return sum(values) + 1


def test_a_crashed_worker_is_replaced_and_what_it_held_is_computed_again(client: Any) -> None:
    before = addresses(client)
    kept, lost = before[0], before[1]
    a = client.submit(add, workers=kept, allow_other_workers=True, key="history-a")
    b = client.submit(add, a, workers=lost, allow_other_workers=True, key="history-b")
    wait([a, b])
    client.amm.stop()
    with TaskHistory(client) as history:
        crash(client, lost)
        assert lost not in addresses(client)
        assert b.result() == 2
    client.amm.start()
    restored(client, len(before))
    assert len(addresses(client)) == len(before)
    assert history.computed["history-b"] == 1
    assert history.computed["history-a"] == 0
    assert history.again == set()


def test_the_history_counts_each_time_a_task_is_computed(client: Any) -> None:
    with TaskHistory(client) as history:
        future = client.submit(add, 1, key="history-twice")
        wait(future)
        [holder] = client.who_has(future)[future.key]
        crash(client, holder)
        assert future.result() == 2
    restored(client, 2)
    assert history.computed["history-twice"] == 2
    assert history.again == {"history-twice"}


def test_each_task_is_drawn_to_the_right_of_all_that_it_needs() -> None:
    graph = {"d": ["b", "c"], "a": [], "c": ["a", "b"], "b": ["a"]}
    assert layers(graph) == {"a": 0, "b": 1, "c": 2, "d": 3}
