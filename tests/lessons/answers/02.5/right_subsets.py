from functools import cache


def count_orders(graph):
    tasks = list(graph)

    @cache
    def count(done):
        if len(done) == len(tasks):
            return 1
        return sum(count(done | {t}) for t in tasks if t not in done and set(graph[t]) <= done)

    return count(frozenset())
