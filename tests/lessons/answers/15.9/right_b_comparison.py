"""Right: a table of comparisons counts the edges that are not above a number; bincount and a missing bin at the end."""

import numpy as np


def psi(reference, current, bins=10):
    reference, current = (np.asarray(one, dtype=float).ravel() for one in (reference, current))
    known = reference[~np.isnan(reference)]
    edges = np.unique(np.quantile(known, np.arange(1, bins) / bins)) if len(known) else np.empty(0)

    def smoothed(values):
        bin_of = (edges[None, :] <= values[:, None]).sum(axis=1)
        bin_of[np.isnan(values)] = len(edges) + 1
        counts = np.bincount(bin_of, minlength=len(edges) + 2) + 0.5
        return counts / counts.sum()

    r, c = smoothed(reference), smoothed(current)
    return float(((c - r) * (np.log(c) - np.log(r))).sum())


def alarms(indices, limit=0.25):
    return sorted((name for name in indices if indices[name] > limit), key=indices.get, reverse=True)
