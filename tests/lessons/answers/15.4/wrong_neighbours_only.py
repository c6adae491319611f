import numpy as np
from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    good = [0]
    for k, runs in runs_of.items():
        agree = adjusted_rand_score(runs[0], runs[1]) >= at_least
        if agree and all(np.unique(r, return_counts=True)[1].min() >= smallest * len(r) for r in runs):
            good.append(k)
    return max(good)
