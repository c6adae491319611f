from math import comb


def luck(chances, right):
    n = len(chances)
    return sum(comb(n, k) * 0.25**k * 0.75 ** (n - k) for k in range(right, n + 1))


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right) > risk:
        right += 1
    return right
