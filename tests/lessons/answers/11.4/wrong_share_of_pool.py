"""Fragmentation is taken of the whole pool instead of the free bytes."""


def largest_request(free, pool_size, maximum):
    largest = max((n for _, n in free), default=0)
    total = sum(n for _, n in free)
    return max(largest, maximum - pool_size), (total - largest) / pool_size
