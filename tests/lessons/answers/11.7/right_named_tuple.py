"""Style: a loop with named tuples as the pairs."""

from collections import namedtuple

Tier = namedtuple("Tier", "in_memory on_disk")


def tiers(workers):
    found = {}
    for address in workers:
        metrics = workers[address]["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = Tier(metrics["managed_bytes"] - spilled["memory"], spilled["disk"])
    return found
