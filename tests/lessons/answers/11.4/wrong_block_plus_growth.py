"""Adds what the pool may grow to the largest free block, as if the new piece merged with it."""


def largest_request(free, pool_size, maximum):
    largest = max((n for _, n in free), default=0)
    total = sum(n for _, n in free)
    return largest + maximum - pool_size, 1 - largest / total if total else 0
