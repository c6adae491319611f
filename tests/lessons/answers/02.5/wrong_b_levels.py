"""Wrong: mixes tasks of the same level only; a task may also be done before a task of an earlier level."""

from math import factorial


def count_orders(graph):
    done, total = set(), 1
    while len(done) < len(graph):
        ready = [task for task in graph if task not in done and set(graph[task]) <= done]
        if not ready:
            return 0
        total *= factorial(len(ready))
        done |= set(ready)
    return total
