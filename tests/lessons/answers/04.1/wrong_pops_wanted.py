def rerun(graph, memory, wanted, lost):
    again = set()
    while wanted:
        k = wanted.pop()
        if k not in again and not set(memory.get(k, ())) - {lost}:
            again.add(k)
            wanted.update(graph[k])
    return again
