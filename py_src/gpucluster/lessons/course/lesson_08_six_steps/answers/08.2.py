import numpy as np

# %% right centred: Sums, products and the number of rows; the means are taken out afterwards.
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

# %% wrong alpha_forgotten, edit of right one_matrix: Ordinary linear regression, whatever alpha.
# fails: The coefficients equal scikit-learn's, to one part in a million
# ~ square[i, i] += alpha => pass

# %% wrong b_intercept_mean: The intercept is the mean of y, without what the coefficients make of the mean row.
# fails: The intercept equals scikit-learn's: it is not penalised
# ~ mean_y - w @ mean_x => mean_y

# %% wrong b_rows_by_rows: The block's products of rows with rows are as large as the rows squared, and must not grow with the rows.
# fails: All blocks send arrays of the same shapes, so that they can be added
# ~ X.T @ X, X.T @ y => X @ X.T, X.T @ y

# %% wrong rows_travel, edit of right one_matrix: Sends all rows.
# fails: What a block sends does not grow with the number of its rows
# -     return (Z.T @ Z,)
# +     everything = np.zeros((400, Z.shape[1]))
# +     everything[: len(X)] = Z
# +     return (everything,)
