"""Wrong: a task that needs itself passes, as it does not come after itself."""

from itertools import permutations


def count_orders(graph):
    return sum(
        all(p.index(need) <= p.index(task) for task, needs in graph.items() for need in needs)
        for p in permutations(graph)
    )
