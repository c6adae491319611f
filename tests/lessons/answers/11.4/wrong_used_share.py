"""Largest block divided by all: the opposite."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    largest = max(sizes, default=0)
    return max(largest, maximum - pool_size), largest / sum(sizes) if sizes else 0.0
