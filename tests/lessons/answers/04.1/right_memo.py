def rerun(graph, memory, wanted, lost):
    again = frozenset(k for k in wanted if not set(memory.get(k, ())) - {lost})
    while True:
        more = again | {n for k in again for n in graph[k] if not set(memory.get(n, ())) - {lost}}
        if more == again:
            return set(again)
        again = more
