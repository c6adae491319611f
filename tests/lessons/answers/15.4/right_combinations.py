import itertools

import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    best = 0
    for k, runs in runs_of.items():
        if any(adjusted_rand_score(a, b) < at_least for a, b in itertools.combinations(runs, 2)):
            continue
        if any(min(np.bincount(run)[np.bincount(run) > 0]) < smallest * len(run) for run in runs):
            continue
        best = max(best, k)
    return best
