import numpy as np


def psi(reference, current, bins=10):
    edges = np.unique(np.quantile(reference[~np.isnan(reference)], np.arange(1, bins) / bins))

    def shares(values):
        there = values[~np.isnan(values)]
        counts = np.bincount(np.searchsorted(edges, there, side="right"), minlength=len(edges) + 1)
        counts = np.append(counts, np.isnan(values).sum()) + 1.0
        return counts / counts.sum()

    r, c = shares(reference), shares(current)
    return float(((c - r) * np.log(c / r)).sum())


def alarms(indices, limit=0.25):
    return sorted((name for name in indices if indices[name] > limit), key=lambda name: -indices[name])
