"""All questions with the mean chance: a binomial distribution."""

from math import comb


def luck(chances, right):
    n = len(chances)
    p = sum(chances) / n if n else 0.0
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(right, n + 1))


def pass_mark(chances, risk):
    right = 0
    while right <= len(chances) and luck(chances, right) > risk:
        right += 1
    return right
