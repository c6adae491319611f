from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    with ThreadPoolExecutor(1) as pool:
        pending = deque()
        for number in numbers:
            pending.append(pool.submit(load, number))
            if len(pending) > depth:
                for future in pending:
                    future.result()  # all of them, also those that are not due
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
