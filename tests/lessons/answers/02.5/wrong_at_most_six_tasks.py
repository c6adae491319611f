"""Wrong: right up to six tasks; more orders are not counted."""

from itertools import permutations


def count_orders(graph):
    total = 0
    for order in permutations(graph):
        place = {task: number for number, task in enumerate(order)}
        total += all(place[need] < place[task] for task in graph for need in graph[task])
    return min(total, 720)
