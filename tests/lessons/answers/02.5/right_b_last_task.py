"""Recursion from the end: takes away one task that no other task needs."""


def count_orders(graph):
    if not graph:
        return 1
    total = 0
    for last in graph:
        if not any(last in needs for needs in graph.values()):
            total += count_orders({task: needs for task, needs in graph.items() if task != last})
    return total
