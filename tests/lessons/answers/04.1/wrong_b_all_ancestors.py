"""Wrong: walks back to the beginning of the graph also through keys that another worker still holds in `memory`."""


def rerun(graph, memory, wanted, lost):
    stack = [key for key in wanted if memory.get(key, set()) <= {lost}]
    again = set()
    while stack:
        key = stack.pop()
        if key not in again:
            again.add(key)
            stack.extend(graph[key])
    return again
