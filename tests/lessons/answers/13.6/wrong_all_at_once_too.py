"""Hands all numbers to the pool at once (map), so depth is ignored and memory is not limited."""

from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield from pool.map(load, numbers)
