MEMO = {}


def count_orders(graph):
    key = frozenset(graph)
    if not graph:
        return 1
    if key not in MEMO:
        MEMO[key] = sum(
            count_orders({o: n for o, n in graph.items() if o != k}) for k, v in graph.items() if not set(v) & key
        )
    return MEMO[key]
