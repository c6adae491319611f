"""Does not think of a pool that is full."""


def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    return max(max(sizes), maximum - pool_size), 1 - max(sizes) / sum(sizes)
