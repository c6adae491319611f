from graphlib import TopologicalSorter


def order(graph):
    return list(TopologicalSorter(graph).static_order())
