"""Wrong: takes a key as lost when the worker is one of its holders ("there may be several")."""


def rerun(graph, memory, wanted, lost):
    again = set()
    stack = list(wanted)
    while stack:
        key = stack.pop()
        if key in again:
            continue
        if key not in memory or lost in memory[key]:
            again.add(key)
            stack.extend(graph[key])
    return again
