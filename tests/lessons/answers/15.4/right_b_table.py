"""Right: a square table of scikit-learn's index, and shares by pandas."""

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    best = 0
    for k in runs_of:
        table = np.array([[adjusted_rand_score(a, b) if a is not b else 1.0 for a in runs_of[k]] for b in runs_of[k]])
        share = min(pd.Series(np.asarray(run)).value_counts(normalize=True).min() for run in runs_of[k])
        if k > best and table.min() >= at_least and share >= smallest:
            best = k
    return best
