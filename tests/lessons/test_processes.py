"""The processes of a cluster, as the operating system sees them, and whether its page answers."""

from __future__ import annotations

import os
from typing import Any

from gpucluster.lessons.course.lesson_00_check_in.probes import direct_address, processes_of, reach, reach_dashboard
from gpucluster.operating_system import LINUX


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
    assert "no address" in repr(reach("file:///etc/passwd"))
