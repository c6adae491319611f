"""Style: short, one pool thread, islice for the beginning and for one more each time."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import islice


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = deque(pool.submit(load, number) for number in islice(numbers, 1 + depth))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(load, number) for number in islice(numbers, 1))
