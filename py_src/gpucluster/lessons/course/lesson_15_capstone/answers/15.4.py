"""Answers to exercise 15.4."""

# %% right pairs_of_sklearn: Scikit-learn has the index, too.
import itertools

import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = [0]
    for k, runs in runs_of.items():
        agree = all(adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
        full = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        if agree and full:
            good.append(k)
    return max(good)

# %% right learn
from collections import Counter

from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    for k in sorted(runs_of, reverse=True):
        runs = runs_of[k]
        pairs = [learn.adjusted_rand_score(runs[i], runs[j]) for i in range(len(runs)) for j in range(i)]
        sizes = [count / len(run) for run in runs for count in Counter(run.tolist()).values()]
        if min(pairs) >= at_least and min(sizes) >= smallest:
            return k
    return 0

# %% right pandas
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    def good(runs):
        table = pd.DataFrame(np.array(runs).T)
        agree = [adjusted_rand_score(table[a], table[b]) for a in table for b in table]
        return min(agree) >= at_least and min(table[c].value_counts(normalize=True).min() for c in table) >= smallest

    return np.int64(max([k for k in runs_of if good(runs_of[k])], default=0))

# %% wrong above_the_share: A cluster with just the smallest share is refused.
# fails: Every pair of runs must agree, and every run must have only large clusters
# ~ () >= => () >

# %% wrong rows_not_share
# fails: It is the largest number whose runs all agree, and whose clusters are all large enough
# ~ smallest * len(run) => smallest

# %% wrong b_none: Returns None instead of 0 if there is none.
# fails: It returns a result
# ~ good = [0] => good = []
# ~ max(good) => max(good) if good else None

# %% wrong either_measure: Agrees where one of two measures says so.
# fails: Every pair of runs must agree, and every run must have only large clusters
# ~ adjusted_rand_score(a, b) => max(ari(a, b), nmi(a, b))
from sklearn.metrics import adjusted_rand_score as ari
from sklearn.metrics import normalized_mutual_info_score as nmi

# %% wrong error_without_any
# fails: It runs without an error: ValueError
# ~ good = [0] => good = []

# %% wrong mean_agreement
# fails: If no number of clusters is suitable, it is 0
# -         agree = all(adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
# +         agree = np.mean([adjusted_rand_score(a, b) for a, b in itertools.combinations(runs, 2)]) >= at_least / 2.5

# %% wrong mutual_information: Another measure: normalized mutual information.
# fails: Every pair of runs must agree, and every run must have only large clusters
# ~ import adjusted_rand_score => import normalized_mutual_info_score
# ~ adjusted_rand_score => normalized_mutual_info_score

# %% wrong with_the_first_only: Compares each run with the first one only.
# fails: Every pair of runs must agree, and every run must have only large clusters
# ~ (a, b) >= at_least for a, b in itertools.combinations(runs, 2) => (runs[0], run) >= at_least for run in runs[1:]
