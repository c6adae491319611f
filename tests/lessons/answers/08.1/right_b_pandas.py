"""Right: groupby of pandas, with all classes put back by reindex."""

import numpy as np
import pandas as pd


def class_sums(X, y, n_classes):
    groups = pd.DataFrame(np.asarray(X, dtype="float64")).groupby(np.asarray(y).astype("int64"))
    every = range(n_classes)
    counts = groups.size().reindex(every, fill_value=0).to_numpy()
    sums = groups.sum().reindex(every, fill_value=0.0).to_numpy()
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    table = pd.DataFrame(sums)
    prior = np.log(pd.Series(counts) / np.sum(counts)).to_numpy()
    likelihood = np.log(table.add(alpha).div(table.sum(axis=1) + alpha * table.shape[1], axis=0)).to_numpy()
    return prior, likelihood
