"""Wrong: compares labels one by one, although groups may be called otherwise in another run."""

import itertools

import numpy as np


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = []
    for k, runs in runs_of.items():
        agree = all(np.mean(np.asarray(a) == np.asarray(b)) >= at_least for a, b in itertools.combinations(runs, 2))
        large = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and large:
            good.append(k)
    return max(good, default=0)
