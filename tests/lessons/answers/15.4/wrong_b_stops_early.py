"""Wrong: stops at the first number that fails, although a larger one may be good."""

import itertools

import numpy as np
from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    best = 0
    for k in sorted(runs_of):
        runs = runs_of[k]
        agree = all(learn.adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
        large = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if not (agree and large):
            break
        best = k
    return best
