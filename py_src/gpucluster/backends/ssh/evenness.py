"""Which workers leave, so that those that stay are spread over the hosts as they would be had no host been lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def fullest_host_first(names: Sequence[str], host_of: Mapping[str, str], places: Mapping[str, int]) -> list[str]:
    """Return workers in the order in which they leave: the next one is always of the host that is fullest by then.

    Parameters
    ----------
    names : sequence of str
        In the order in which they would leave otherwise: so do those of one host, and of hosts that are equally full.
    host_of : mapping
        The host of each; one that is not in it has none, and leaves first.
    places : mapping
        How many workers each host has by default.
    """
    left = Counter(host_of[name] for name in names if name in host_of)
    order = [name for name in names if name not in host_of]
    waiting = [name for name in names if name in host_of]
    while waiting:
        name = max(waiting, key=lambda each: left[host_of[each]] / places[host_of[each]])
        waiting.remove(name)
        left[host_of[name]] -= 1
        order.append(name)
    return order
