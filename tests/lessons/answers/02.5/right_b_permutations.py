"""Tries all permutations of the tasks."""

from itertools import permutations


def count_orders(graph):
    count = 0
    for way in permutations(graph):
        place = {task: i for i, task in enumerate(way)}
        if all(place[need] < place[task] for task, needs in graph.items() for need in needs):
            count += 1
    return count
