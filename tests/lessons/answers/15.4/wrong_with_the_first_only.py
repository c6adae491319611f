"""Compares each run with the first one only."""

import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = [0]
    for k, runs in runs_of.items():
        agree = all(adjusted_rand_score(runs[0], run) >= at_least for run in runs[1:])
        full = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and full:
            good.append(k)
    return max(good)
