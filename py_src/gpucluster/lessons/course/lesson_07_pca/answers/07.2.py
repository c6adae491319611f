import numpy as np

# %% right argsort
def principal_components(C, k):
    values, vectors = np.linalg.eigh(C)
    best = np.argsort(values)[: -k - 1 : -1]
    return -vectors.T[best], values[best], values[best] / sum(values)

# %% right deflation
def principal_components(C, k):
    total, C = np.trace(C), C.copy()
    rows, values = [], []
    for _ in range(k):
        w, v = np.linalg.eigh(C)
        rows.append(v[:, -1])
        values.append(w[-1])
        C -= w[-1] * np.outer(v[:, -1], v[:, -1])
    return np.array(rows), np.array(values), np.array(values) / total

# %% right svd
def principal_components(C, k):
    _, values, vectors = np.linalg.svd(C, hermitian=True)
    return vectors[:k], values[:k], values[:k] / np.trace(C)

# %% wrong b_ascending: The right k, but the largest is last and not first.
# fails: The largest variance comes first
# ~ best = np.argsort(values)[: -k - 1 : -1] => variances = values[-k:]
# ~ -vectors.T[best], values[best], values[best] / sum(values) => vectors.T[-k:], variances, variances / values.sum()

# %% wrong b_columns, edit of wrong b_ascending: One direction per column, but 'one direction per row' is asked.
# fails: components (one row per component) has the right shape
# ~ values[-k:] => values[::-1][:k]
# ~ vectors.T[-k:] => vectors[:, ::-1][:, :k]

# %% wrong b_correlation: Takes the correlation matrix first, but the directions of C are asked.
# fails: variances are the eigenvalues of the covariance matrix
# - def principal_components(C, k):
# + def principal_components(C, k):
# +     deviations = np.sqrt(np.maximum(np.diag(C), 1e-300))
# +     C = C / np.outer(deviations, deviations)

# %% wrong b_cumulated, edit of wrong b_columns: Ratios are added up, but the share of each component is asked.
# fails: ratios are shares of the variance of ALL columns, as in scikit-learn
# ~ [:, ::-1][:, :k], variances, variances / values.sum( => .T[::-1][:k], variances, np.cumsum(variances / values.sum()

# %% wrong b_deviations: Square roots, that is standard deviations, where variances are asked.
# fails: variances are the eigenvalues of the covariance matrix
# -     best = np.argsort(values)[: -k - 1 : -1]
# +     values = np.sqrt(np.maximum(values, 0))
# +     best = np.argsort(values)[: -k - 1 : -1]

# %% wrong b_no_transpose: Takes rows of the matrix of eigenvectors, but eigh returns them as columns.
# fails: Each row is the right direction, up to sign
# ~ best = np.argsort(values)[: -k - 1 : -1] => variances = values[::-1][:k]
# ~ -vectors.T[best], values[best], values[best] / sum(values) => vectors[::-1][:k], variances, variances / values.sum()

# %% wrong b_scaled, edit of wrong b_columns: Components are multiplied with the deviation, but 'of length 1' is asked.
# fails: Components have length 1 and are orthogonal to each other
# ~ vectors[:, ::-1][:, :k] => vectors.T[::-1][:k] * np.sqrt(np.maximum(variances, 0))[:, None]
