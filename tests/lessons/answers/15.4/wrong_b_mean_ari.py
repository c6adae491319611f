"""Wrong: asks for the mean of the indices, not for every two runs."""

import itertools

import numpy as np
from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = []
    for k, runs in runs_of.items():
        agree = np.mean([learn.adjusted_rand_score(a, b) for a, b in itertools.combinations(runs, 2)]) >= at_least
        large = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and large:
            good.append(k)
    return max(good, default=0)
