"""Takes the first number with next(), which for an empty iterable becomes a RuntimeError."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import islice


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    with ThreadPoolExecutor(max_workers=1) as pool:
        current = pool.submit(load, next(numbers))
        waiting = deque(pool.submit(load, number) for number in islice(numbers, depth))
        while True:
            yield current.result()
            if not waiting:
                return
            current = waiting.popleft()
            for number in islice(numbers, 1):
                waiting.append(pool.submit(load, number))
