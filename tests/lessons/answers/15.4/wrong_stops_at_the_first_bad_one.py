import itertools

import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    found = 0
    for k in sorted(runs_of):
        runs = runs_of[k]
        if not all(adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2)):
            break
        if all(np.unique(r, return_counts=True)[1].min() >= smallest * len(r) for r in runs):
            found = k
    return found
