"""Wrong: a binomial distribution with the mean of the chances, which may differ."""

from math import comb


def luck(chances, right):
    n = len(chances)
    p = sum(chances) / n if n else 0.0
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(max(0, right), n + 1))


def pass_mark(chances, risk):
    return next((k for k in range(len(chances) + 1) if luck(chances, k) <= risk), len(chances) + 1)
