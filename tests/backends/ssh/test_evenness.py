"""Which workers leave a cluster of several hosts."""

from __future__ import annotations

import pytest
from gpucluster.backends.ssh.evenness import fullest_host_first


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
