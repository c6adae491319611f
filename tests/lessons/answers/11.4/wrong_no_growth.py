"""Only the list is looked at."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    fragmentation = 1 - max(sizes) / sum(sizes) if sizes else 0.0
    return max(sizes, default=0), fragmentation
