from itertools import permutations


def count_orders(graph):
    total = 0
    for attempt in permutations(graph):
        place = {task: i for i, task in enumerate(attempt)}
        total += all(place[need] < place[task] for task in graph for need in graph[task])
    return max(1, total)
