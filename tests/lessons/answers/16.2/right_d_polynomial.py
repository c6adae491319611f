"""The coefficients of a product of polynomials."""

from functools import reduce

import numpy as np


def spread(chances):
    return reduce(np.polynomial.polynomial.polymul, ([1 - p, p] for p in chances), np.array([1.0]))


def luck(chances, right):
    return float(spread(chances)[max(0, right) :].sum())


def pass_mark(chances, risk):
    for right in range(len(chances) + 1):
        if luck(chances, right) <= risk:
            return right
    return len(chances) + 1
