import itertools

import numpy as np


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = [0]
    for k, runs in runs_of.items():
        agree = all((a == b).mean() >= at_least for a, b in itertools.combinations(runs, 2))
        if agree and all(np.unique(r, return_counts=True)[1].min() >= smallest * len(r) for r in runs):
            good.append(k)
    return max(good)
