import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    def good(runs):
        table = pd.DataFrame(np.array(runs).T)
        agree = [adjusted_rand_score(table[a], table[b]) for a in table for b in table]
        return min(agree) >= at_least and min(table[c].value_counts(normalize=True).min() for c in table) >= smallest

    return np.int64(max([k for k in runs_of if good(runs_of[k])], default=0))
