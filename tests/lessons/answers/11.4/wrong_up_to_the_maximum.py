"""Takes the maximum itself for what the pool may grow, without the bytes that it has already."""


def largest_request(free, pool_size, maximum):
    largest = max((n for _, n in free), default=0)
    total = sum(n for _, n in free)
    grow = maximum if maximum > pool_size else 0
    return max(largest, grow), (1 - largest / total if total else 0)
