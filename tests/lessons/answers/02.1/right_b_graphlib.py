"""TopologicalSorter of the standard library; its CycleError is a ValueError."""

from graphlib import TopologicalSorter


def order(graph):
    return list(TopologicalSorter(graph).static_order())
