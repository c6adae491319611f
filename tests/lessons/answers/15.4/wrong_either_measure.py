"""Agrees where one of two measures says so."""

import itertools

import numpy as np
from sklearn.metrics import adjusted_rand_score as ari
from sklearn.metrics import normalized_mutual_info_score as nmi


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = [0]
    for k, runs in runs_of.items():
        agree = all(max(ari(a, b), nmi(a, b)) >= at_least for a, b in itertools.combinations(runs, 2))
        full = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and full:
            good.append(k)
    return max(good)
