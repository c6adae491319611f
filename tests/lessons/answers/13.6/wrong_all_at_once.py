from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(depth) as pool:
        yield from pool.map(load, numbers)
