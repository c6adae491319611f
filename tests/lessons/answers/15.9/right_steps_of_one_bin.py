import numpy as np


def _psi(reference, current, edges):
    def shares(values):
        there = values[~np.isnan(values)]
        counts = np.bincount(np.searchsorted(edges, there, side="right"), minlength=len(edges) + 1)
        counts = np.append(counts, len(values) - len(there)) + 0.5
        return counts / counts.sum()

    before, now = shares(reference), shares(current)
    return ((now - before) * np.log(now / before)).sum()


def psi(reference, current, bins=10):
    there = reference[~np.isnan(reference)]
    edges = np.unique(np.quantile(there, np.arange(1, bins) * (1 / bins)))
    return _psi(reference, current, edges)


def alarms(indices, limit=0.25):
    return sorted((name for name in indices if indices[name] > limit), key=lambda name: -indices[name])
