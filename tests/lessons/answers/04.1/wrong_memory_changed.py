def rerun(graph, memory, wanted, lost):
    for k in memory:
        memory[k].discard(lost)
    again, todo = set(), list(wanted)
    while todo:
        k = todo.pop()
        if k not in again and not memory.get(k):
            again.add(k)
            todo += graph[k]
    return again
