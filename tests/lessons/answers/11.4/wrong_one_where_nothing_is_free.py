"""Where nothing is free, the fragmentation is 1 instead of 0."""


def largest_request(free, pool_size, maximum):
    sizes = [n for _, n in free] or [0]
    total = sum(sizes)
    share = max(sizes) / total if total else 0
    return max(max(sizes), maximum - pool_size), 1 - share
