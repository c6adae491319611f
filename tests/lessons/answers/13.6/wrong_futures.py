from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(1) as pool:
        pending = deque()
        for number in numbers:
            pending.append(pool.submit(load, number))
            if len(pending) > depth:
                yield pending.popleft()
        yield from pending
