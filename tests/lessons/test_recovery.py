"""Lesson 04: workers that crash and come back, the scheduler's log, and the processes of a cluster."""

import os
from typing import Any

from distributed import wait
from gpucluster.lessons.course.lesson_00_check_in.probes import direct_address, processes_of, reach, reach_dashboard
from gpucluster.lessons.figures.recovery import layers
from gpucluster.lessons.simulations.recovery import TaskHistory, addresses, crash, restored
from gpucluster.operating_system import LINUX


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


def test_one_notebook_one_scheduler_and_the_workers(cluster: Any, client: Any) -> None:
    nodes = {node.role: node for node in processes_of(cluster, client)}
    # Workers are forked from a process that has imported what they need; without Linux the scheduler's starts them.
    parent = "starter" if LINUX else "scheduler"
    assert set(nodes) == {"notebook", "scheduler", parent, "worker 0", "worker 1"}
    assert nodes["notebook"].pid == os.getpid()
    assert nodes["notebook"].parent is None
    assert nodes["worker 0"].parent == nodes[parent].pid
    assert parent == "scheduler" or nodes[parent].parent == nodes["scheduler"].pid
    assert {nodes["worker 0"].pid, nodes["worker 1"].pid} == set(client.run(os.getpid).values())
    assert all(node.memory_bytes > 1e6 for node in nodes.values())


def test_the_dashboard_answers_and_the_secret_is_not_shown(cluster: Any) -> None:
    reached = reach_dashboard(cluster)
    assert reached.status == 200
    address = direct_address(cluster)
    wrong = reach(address.replace("/status", "/nothing"))
    assert wrong.status == 404
    assert address.split("/")[3] not in repr(reached) + repr(wrong)
    assert reach("http://127.0.0.1:9/status").status is None
    assert "not the address" in repr(reach("file:///etc/passwd"))
