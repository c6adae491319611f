"""Wrong: raises a ValueError if there is a circle; here the answer is 0."""

from graphlib import TopologicalSorter
from itertools import permutations


def count_orders(graph):
    list(TopologicalSorter(graph).static_order())
    return sum(
        all(way.index(need) < way.index(task) for task in graph for need in graph[task]) for way in permutations(graph)
    )
