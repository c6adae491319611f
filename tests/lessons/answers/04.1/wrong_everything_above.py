"""Everything that a lost result once needed, held or not."""


def rerun(graph, memory, wanted, lost):
    again, todo = set(), [key for key in wanted if memory.get(key) == {lost}]
    while todo:
        key = todo.pop()
        if key not in again:
            again.add(key)
            todo.extend(graph[key])
    return again
