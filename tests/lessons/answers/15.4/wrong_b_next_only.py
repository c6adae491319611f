"""Wrong: compares each run with the next one only, not every two runs."""

import numpy as np
from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = []
    for k, runs in runs_of.items():
        agree = all(learn.adjusted_rand_score(a, b) >= at_least for a, b in zip(runs, runs[1:]))
        large = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and large:
            good.append(k)
    return max(good, default=0)
