"""A result with a copy elsewhere counts as lost."""


def rerun(graph, memory, wanted, lost):
    again, todo = set(), [key for key in wanted if lost in memory.get(key, ())]
    while todo:
        key = todo.pop()
        if key not in again and (lost in memory.get(key, ()) or not memory.get(key)):
            again.add(key)
            todo.extend(graph[key])
    return again
