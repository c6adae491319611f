"""Style: rounds by recursion, exact fractions for the factors."""

from fractions import Fraction


def _rounds(p):
    return 0 if p == 1 else 1 + _rounds((p + 1) // 2)


def tree_seconds(p, n, alpha, beta):
    return 2.0 * _rounds(p) * alpha + 2.0 * _rounds(p) * n / beta


def ring_seconds(p, n, alpha, beta):
    if p == 1:
        return 0
    return 2.0 * (p - 1) * alpha + float(Fraction(2 * (p - 1), p)) * n / beta


def crossover(p, alpha, beta):
    more = p - 1 - _rounds(p)
    return 0 if more <= 0 else float(more / (_rounds(p) - Fraction(p - 1, p))) * alpha * beta
