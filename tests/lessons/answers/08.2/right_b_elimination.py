"""Right: sums of outer products row by row, and Gauss' elimination with pivots in plain Python."""

import numpy as np


def products(X, y):
    d = X.shape[1] + 1
    gram, moment = np.zeros((d, d)), np.zeros(d)
    for row, target in zip(X, y):
        row = np.append(np.asarray(row, dtype=float), 1.0)
        gram += np.outer(row, row)
        moment += row * float(target)
    return gram, moment


def ridge(merged, alpha):
    gram, moment = merged
    d = len(moment)
    table = [[float(value) for value in row] + [float(right)] for row, right in zip(gram, moment)]
    for i in range(d - 1):
        table[i][i] += alpha
    for i in range(d):
        pivot = max(range(i, d), key=lambda r: abs(table[r][i]))
        table[i], table[pivot] = table[pivot], table[i]
        for r in range(d):
            if r != i:
                factor = table[r][i] / table[i][i]
                table[r] = [a - factor * b for a, b in zip(table[r], table[i])]
    solved = [table[i][d] / table[i][i] for i in range(d)]
    return np.array(solved[:-1]), solved[-1]
