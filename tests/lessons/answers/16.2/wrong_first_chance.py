"""Wrong: takes the first chance for all questions."""

from math import comb


def luck(chances, right):
    n, p = len(chances), chances[0] if len(chances) else 0.0
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(max(0, right), n + 1))


def pass_mark(chances, risk):
    return next((k for k in range(len(chances) + 1) if luck(chances, k) <= risk), len(chances) + 1)
