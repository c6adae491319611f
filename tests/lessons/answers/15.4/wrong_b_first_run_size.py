"""Wrong: looks for tiny groups in the first run only, not in every run."""

import itertools

import numpy as np
from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = []
    for k, runs in runs_of.items():
        agree = all(learn.adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
        large = np.unique(runs[0], return_counts=True)[1].min() >= smallest * len(runs[0])
        if agree and large:
            good.append(k)
    return max(good, default=0)
