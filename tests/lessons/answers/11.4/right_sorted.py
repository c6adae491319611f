"""Sorts, and asks of an exact fraction."""

from fractions import Fraction


def largest_request(free, pool_size, maximum):
    sizes = sorted(size for start, size in free)
    share = Fraction(sum(sizes[:-1]), sum(sizes)) if sizes else Fraction(0)
    return sorted([*sizes, maximum - pool_size])[-1], float(share)
