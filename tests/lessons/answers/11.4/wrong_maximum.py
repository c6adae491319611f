"""Grows by the maximum, not up to it."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    fragmentation = 1 - max(sizes) / sum(sizes) if sizes else 0.0
    return max(max(sizes, default=0), maximum if maximum > pool_size else 0), fragmentation
