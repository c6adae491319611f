"""The share of the pool instead of that of the free bytes."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    largest = max(sizes, default=0)
    return max(largest, maximum - pool_size), 1 - largest / pool_size
