import numpy as np


def psi(reference, current, bins=10):
    edges = np.linspace(np.nanmin(reference), np.nanmax(reference), bins + 1)[1:-1]

    def shares(values):
        there = values[~np.isnan(values)]
        counts = np.bincount(np.searchsorted(edges, there, side="right"), minlength=len(edges) + 1)
        counts = np.append(counts, np.isnan(values).sum()) + 0.5
        return counts / counts.sum()

    r, c = shares(reference), shares(current)
    return float(((c - r) * np.log(c / r)).sum())


def alarms(indices, limit=0.25):
    return sorted((name for name in indices if indices[name] > limit), key=lambda name: -indices[name])
