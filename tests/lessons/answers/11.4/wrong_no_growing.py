"""Looks at the free blocks only, and forgets that the pool may grow."""


def largest_request(free, pool_size, maximum):
    if not free:
        return 0, 0
    sizes = [n for _, n in free]
    return max(sizes), 1 - max(sizes) / sum(sizes)
