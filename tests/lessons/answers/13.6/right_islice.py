"""Fill up first, then one out and one in."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import islice


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    with ThreadPoolExecutor(max_workers=depth) as pool:
        ahead = deque(pool.submit(load, number) for number in islice(numbers, depth))
        while ahead:
            batch = ahead.popleft().result()
            for number in islice(numbers, 1):
                ahead.append(pool.submit(load, number))
            yield batch
