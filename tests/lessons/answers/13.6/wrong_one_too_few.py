"""Off by one: the batch that the caller holds is counted too, so only depth - 1 are loaded ahead, with depth 1 none."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    waiting = deque()
    with ThreadPoolExecutor(max_workers=1) as pool:
        for number in numbers:
            waiting.append(pool.submit(load, number))
            if len(waiting) == depth:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
