"""Style: as short as possible, with dictionaries and or."""


def largest_request(free, pool_size, maximum):
    sizes = sorted(dict(free).values()) or [0]
    return max(sizes[-1], maximum - pool_size), sum(sizes[:-1]) / (sum(sizes) or 1)
