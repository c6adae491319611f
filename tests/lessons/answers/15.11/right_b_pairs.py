"""Right: places and sizes as lists, and sums over pairs of neighbours."""

from itertools import pairwise


def copies(calls, nbytes):
    states = [(True, nbytes), *((bool(fast), size) for _, fast, size in calls)]
    to_host = sum(size for (here, size), (there, _) in pairwise(states) if here and not there)
    to_device = sum(size for (here, size), (there, _) in pairwise(states) if there and not here)
    return to_host, to_device
