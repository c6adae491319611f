from math import factorial


def count_orders(graph):
    done, total = set(), 1
    while len(done) < len(graph):
        ready = [t for t in graph if t not in done and set(graph[t]) <= done]
        if not ready:
            return 0
        total *= factorial(len(ready))
        done |= set(ready)
    return total
