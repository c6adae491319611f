"""Style: a forward search with a queue from each variable anew."""

from collections import deque


def _reaches(refers, begin, target):
    seen = set()
    queue = deque(refers.get(begin, []))
    while queue:
        name = queue.popleft()
        if name == target:
            return True
        if name not in seen:
            seen.add(name)
            queue.extend(refers.get(name, []))
    return False


def holders(refers, variables, target):
    return set(filter(lambda variable: _reaches(refers, variable, target), variables))
