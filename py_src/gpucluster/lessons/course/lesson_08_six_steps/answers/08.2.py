"""Answers to exercise 08.2."""

# %% right centred: Sums, products and the number of rows; the means are taken out afterwards.
import numpy as np


def products(X, y):
    return len(X), X.sum(axis=0), y.sum(), X.T @ X, X.T @ y


def ridge(merged, alpha):
    n, sum_x, sum_y, xx, xy = merged
    mean_x, mean_y = sum_x / n, sum_y / n
    square = xx - n * np.outer(mean_x, mean_x)
    right = xy - n * mean_x * mean_y
    w = np.linalg.solve(square + alpha * np.eye(len(right)), right)
    return w, mean_y - w @ mean_x

# %% right one_matrix: All products in one matrix of (1, X, y).
import numpy as np


def products(X, y):
    Z = np.column_stack([np.ones(len(X)), X, y])
    return (Z.T @ Z,)


def ridge(merged, alpha):
    (Z,) = merged
    square = np.array(Z[:-1, :-1])
    for i in range(1, len(square)):
        square[i, i] += alpha
    w = np.linalg.inv(square) @ Z[:-1, -1]
    return list(w[1:]), float(w[0])

# %% wrong alpha_forgotten: Ordinary linear regression, whatever alpha.
# fails: The coefficients are scikit-learn's, to one part in a million
import numpy as np


def products(X, y):
    Z = np.column_stack([X, np.ones(len(X))])
    return Z.T @ Z, Z.T @ y


def ridge(merged, alpha):
    w = np.linalg.solve(*merged)
    return w[:-1], w[-1]

# %% wrong b_intercept_mean: The intercept is the mean of y, without what the coefficients make of the mean row.
# fails: The intercept is scikit-learn's: the penalty leaves it alone
import numpy as np


def products(X, y):
    return X.T @ X, X.T @ y, X.sum(axis=0), np.array([y.sum(), len(X)])


def ridge(merged, alpha):
    xx, xy, sum_x, (sum_y, n) = merged
    xx = xx - np.outer(sum_x, sum_x) / n
    xy = xy - sum_x * sum_y / n
    return np.linalg.solve(xx + alpha * np.eye(len(xx)), xy), sum_y / n

# %% wrong b_rows_by_rows: The block's products of rows with rows are as large as the rows squared, and must not grow with the rows.
# fails: All blocks send arrays of the same shapes, so that they can be added
# edit of wrong alpha_forgotten
# ~ Z = np.column_stack => A = np.column_stack
# ~ return Z.T @ Z, Z.T @ y => return A @ A.T, A, y
# -     w = np.linalg.solve(*merged)
# +     kernel, A, y = merged
# +     D = np.eye(A.shape[1])
# +     D[-1, -1] = 0
# +     w = np.linalg.solve(A.T @ A + alpha * D, A.T @ y)

# %% wrong changes_the_sums
# fails: What it is given stays as it was
# edit of wrong alpha_forgotten
# ~ Z = np.column_stack([X, np.ones(len(X))]) => o = np.c_[X, np.ones(len(X))]
# ~ Z.T @ Z, Z => o.T @ o, o
# -     w = np.linalg.solve(*merged)
# +     square, right = merged
# +     square[np.arange(len(right) - 1), np.arange(len(right) - 1)] += alpha
# +     w = np.linalg.solve(square, right)

# %% wrong rows_travel: Sends all rows.
# fails: What a block sends does not grow with its rows
# edit of wrong alpha_forgotten
# -     Z = np.column_stack([X, np.ones(len(X))])
# -     return Z.T @ Z, Z.T @ y
# +     everything = np.zeros((400, X.shape[1] + 2))
# +     everything[: len(X)] = np.column_stack([X, np.ones(len(X)), y])
# +     return (everything,)
# -     w = np.linalg.solve(*merged)
# +     (Z,) = merged
# +     A, y = Z[:, :-1], Z[:, -1]
# +     w = np.linalg.solve(A.T @ A + np.diag([alpha] * (A.shape[1] - 1) + [0.0]), A.T @ y)
