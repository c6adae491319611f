"""Wrong: looks at the first need of each task only, not at all of them."""

from itertools import permutations


def count_orders(graph):
    return sum(
        all(way.index(graph[task][0]) < way.index(task) for task in graph if graph[task]) for way in permutations(graph)
    )
