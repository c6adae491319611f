"""Wrong: repeats only what the lost worker held; an input that "has been released" is in nobody's memory and is forgotten here."""


def rerun(graph, memory, wanted, lost):
    again, stack = set(), list(wanted)
    while stack:
        key = stack.pop()
        if memory.get(key) == {lost} and key not in again:
            again.add(key)
            stack.extend(graph[key])
    return again
