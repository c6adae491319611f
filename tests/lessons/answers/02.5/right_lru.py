from functools import lru_cache


def count_orders(graph):
    @lru_cache(None)
    def go(left):
        if not left:
            return 1
        return sum(go(left - {k}) for k in left if not set(graph[k]) & left)

    return go(frozenset(graph))
