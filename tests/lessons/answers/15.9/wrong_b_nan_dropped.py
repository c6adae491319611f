"""Wrong: drops what is missing, but it has a bin of its own."""

import numpy as np


def psi(reference, current, bins=10):
    reference, current = np.asarray(reference, dtype=float), np.asarray(current, dtype=float)
    known = reference[~np.isnan(reference)]
    edges = np.unique(np.quantile(known, np.arange(1, bins) / bins))

    def shares(values):
        places = np.searchsorted(edges, values[~np.isnan(values)], side="right")
        counts = np.append(np.bincount(places, minlength=len(edges) + 1), []) + 0.5
        return counts / counts.sum()

    r, c = shares(reference), shares(current)
    return float(((c - r) * np.log(c / r)).sum())


def alarms(indices, limit=0.25):
    return sorted((name for name in indices if indices[name] > limit), key=indices.get, reverse=True)
