import numpy as np


def class_sums(X, y, n_classes):
    one = np.eye(n_classes)[y]
    return one.sum(0), one.T @ X


def naive_bayes(counts, sums, alpha=1.0):
    sums += alpha
    return np.log(counts / counts.sum()), np.log(sums / sums.sum(axis=1, keepdims=True))
