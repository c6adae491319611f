from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    """A thread, but the caller waits for it: nothing runs while a batch is held."""
    with ThreadPoolExecutor(1) as pool:
        for number in numbers:
            yield pool.submit(load, number).result()
