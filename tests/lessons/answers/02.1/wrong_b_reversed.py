"""Wrong: each task comes before what it needs, not after it."""

from graphlib import TopologicalSorter


def order(graph):
    return list(TopologicalSorter(graph).static_order())[::-1]
