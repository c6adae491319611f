"""Right: breadth first with a queue and a generator."""

from collections import deque


def rerun(graph, memory, wanted, lost):
    def walk():
        seen, queue = set(), deque(wanted)
        while queue:
            key = queue.popleft()
            if key in seen or not memory.get(key, set()) <= {lost}:
                continue
            seen.add(key)
            queue.extend(graph[key])
            yield key

    return set(walk())
