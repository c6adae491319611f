from math import comb


def luck(chances, right):
    n, p = len(chances), sum(chances) / len(chances)
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(right, n + 1))


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right) > risk:
        right += 1
    return right
