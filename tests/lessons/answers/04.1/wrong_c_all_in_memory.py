"""Wrong: begins with everything that is in memory, also where nobody wants it any more."""


def rerun(graph, memory, wanted, lost):
    again = set()
    waiting = [key for key, holders in memory.items() if holders == {lost}]
    while waiting:
        key = waiting.pop()
        if key not in again:
            again.add(key)
            waiting += [needed for needed in graph[key] if not memory.get(needed, set()) - {lost}]
    return again
