from collections import deque


def prefetched(load, numbers, depth):
    """Ahead, but while the caller waits."""
    held = deque()
    for number in numbers:
        held.append(load(number))
        if len(held) > depth:
            yield held.popleft()
    yield from held
