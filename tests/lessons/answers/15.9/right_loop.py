from bisect import bisect_right
from math import isnan, log

import numpy as np


def psi(reference, current, bins=10):
    known = sorted(value for value in reference.tolist() if not isnan(value))
    edges = sorted({float(np.quantile(known, place / bins)) for place in range(1, bins)})

    def shares(values):
        counts = [0.5] * (len(edges) + 2)
        for value in values.tolist():
            counts[-1 if isnan(value) else bisect_right(edges, value)] += 1
        return [count / sum(counts) for count in counts]

    return sum((now - was) * log(now / was) for was, now in zip(shares(reference), shares(current), strict=True))


def alarms(indices, limit=0.25):
    found = [(value, name) for name, value in indices.items() if value > limit]
    return tuple(name for value, name in sorted(found, reverse=True))
