"""Fragmentation by the number of blocks."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    largest = max(sizes, default=0)
    return max(largest, maximum - pool_size), 1 - 1 / len(sizes) if sizes else 0.0
