"""Right: plain Python with bisect and Counter; pairs are sorted for the alarms."""

import math
from bisect import bisect_right
from collections import Counter

import numpy as np


def psi(reference, current, bins=10):
    there = [float(one) for one in reference if not math.isnan(one)]
    places = [i / bins for i in range(1, bins)]
    edges = sorted(set(np.quantile(there, places).tolist())) if there and places else []

    def shares(values):
        counts = Counter("missing" if math.isnan(one) else bisect_right(edges, float(one)) for one in values)
        smooth = [counts[name] + 0.5 for name in (*range(len(edges) + 1), "missing")]
        return [one / sum(smooth) for one in smooth]

    return sum((c - r) * math.log(c / r) for r, c in zip(shares(reference), shares(current)))


def alarms(indices, limit=0.25):
    found = [(-index, name) for name, index in indices.items() if index > limit]
    return [name for _, name in sorted(found)]
