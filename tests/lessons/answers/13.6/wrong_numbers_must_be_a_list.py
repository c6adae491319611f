"""Uses len(numbers) and numbers[i], so a generator or a set does not work."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    waiting = deque()
    with ThreadPoolExecutor(max_workers=1) as pool:
        for i in range(min(depth + 1, len(numbers))):
            waiting.append(pool.submit(load, numbers[i]))
        i = depth + 1
        while waiting:
            yield waiting.popleft().result()
            if i < len(numbers):
                waiting.append(pool.submit(load, numbers[i]))
                i += 1
