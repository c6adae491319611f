"""Wrong: the needs must come directly before the task, although anything may be done in between."""

from itertools import permutations


def count_orders(graph):
    count = 0
    for way in permutations(graph):
        good = True
        for i, task in enumerate(way):
            needs = set(graph[task])
            good = good and needs == set(way[max(0, i - len(needs)) : i]) if needs else good
        count += good
    return count
