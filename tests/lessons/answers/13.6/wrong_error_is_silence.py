"""An error in load ends the generator quietly, as if there were no more batches."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    waiting = deque()
    with ThreadPoolExecutor(max_workers=1) as pool:
        for number in numbers:
            waiting.append(pool.submit(load, number))
            if len(waiting) > depth:
                break
        while waiting:
            try:
                batch = waiting.popleft().result()
            except Exception:
                return
            yield batch
            for number in numbers:
                waiting.append(pool.submit(load, number))
                break
