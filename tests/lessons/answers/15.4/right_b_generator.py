"""Right: a generator of the good numbers, with the index of the library."""

import itertools

import numpy as np
from gpucluster import learn


def good(runs_of, at_least, smallest):
    for k, runs in runs_of.items():
        shares = (np.unique(run, return_counts=True)[1] / np.size(run) for run in runs)
        if any((share < smallest).any() for share in shares):
            continue
        if any(learn.adjusted_rand_score(*pair) < at_least for pair in itertools.combinations(runs, 2)):
            continue
        yield k


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    return max(good(runs_of, at_least, smallest), default=0)
