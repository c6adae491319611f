"""Wrong: one right answer is needed, whatever the risk."""

from itertools import product
from math import prod


def luck(chances, right):
    total = 0
    for pattern in product([0, 1], repeat=len(chances)):
        if sum(pattern) >= right:
            total += prod(c if hit else 1 - c for hit, c in zip(pattern, chances, strict=False))
    return total


def pass_mark(chances, risk):
    return next(k for k in range(1, len(chances) + 2) if luck(chances, k) <= risk)
