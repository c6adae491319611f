import itertools

import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = []
    for k, runs in runs_of.items():
        agree = all(adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
        if agree and all(np.unique(r, return_counts=True)[1].min() >= smallest * len(r) for r in runs):
            good.append(k)
    return min(good, default=0)
