"""Style: the two normal equations in exact fractions, plain Python."""

from fractions import Fraction


def fit_link(sizes, seconds):
    s = [Fraction(0)] * 5
    for n, t in zip(sizes, seconds, strict=False):
        n, t = Fraction(float(n)), Fraction(float(t))
        u, v = 1 / t, n / t
        for i, x in enumerate((u * u, u * v, v * v, u, v)):
            s[i] += x
    det = s[0] * s[2] - s[1] ** 2
    alpha = (s[3] * s[2] - s[4] * s[1]) / det
    slope = (s[0] * s[4] - s[1] * s[3]) / det
    return float(alpha), float(1 / slope)


def half_size(alpha, beta):
    return alpha * beta
