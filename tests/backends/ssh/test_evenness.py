"""Which workers leave a cluster of several hosts, and what each has of its host."""

from __future__ import annotations

import pytest
from gpucluster.backends.ssh.deployment import fullest_host_first
from gpucluster.backends.ssh.host import Host
from gpucluster.backends.ssh.hosts import named_hosts
from gpucluster.backends.ssh.pool import memory_limit_on
from gpucluster.backends.ssh.spec import SSHSpec


@pytest.mark.parametrize(
    ("hosts", "places", "order"),
    [
        ({"0": "a", "1": "b", "2": "a", "3": "b"}, {"a": 1, "b": 1}, "3210"),
        # b was lost for a while; 3 has been asked for since.
        ({"0": "a", "1": "a", "2": "a", "3": "b"}, {"a": 1, "b": 1}, "2130"),
        ({"0": "a", "1": "a", "2": "a", "3": "b"}, {"a": 3, "b": 1}, "3210"),
        # 2 has not come yet.
        ({"0": "a", "1": "a", "3": "b"}, {"a": 1, "b": 1}, "2130"),
    ],
    ids=["even", "uneven", "as many as there are places", "one without a host"],
)
def test_the_fullest_host_gives_first(hosts: dict[str, str], places: dict[str, int], order: str) -> None:
    assert fullest_host_first("3210", hosts, places) == list(order)


@pytest.mark.parametrize(
    ("hosts", "threads", "limit", "each"),
    [("a", 1, "auto", 2), ("a", 4, "auto", 8), ("a", 3, "auto", 5), ("a", 16, "auto", 16), ("a,a", 8, "auto", 8),
     ("a,a", 16, "auto", 8), ("a", 4, None, 0)],
)  # fmt: skip
def test_a_worker_has_the_memory_of_its_threads(hosts: str, threads: int, limit: str | None, each: int) -> None:
    """Of a host with 8 cores and 16 (times a thousand) bytes, as ``dask worker --memory-limit auto`` would have it."""
    spec = SSHSpec(hosts=hosts.split(","), threads_per_worker=threads, memory_limit=limit)
    host = Host(named_hosts(spec)[0], None, "python", {}, lambda lost: None)
    host.facts = {"cores": 8, "memory_bytes": 16_000}
    assert memory_limit_on(host, spec) // 1000 == each
