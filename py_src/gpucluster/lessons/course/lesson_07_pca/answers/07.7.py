# %% right hermitian
import numpy as np


def truncated_svd(n, mean, M, k):
    products = M + n * mean[:, None] * mean
    left, squares, _ = np.linalg.svd(products, hermitian=True)
    return left.T[:k], squares[:k] ** 0.5


cosine = np.float64(0.99925)

# %% right svd_of_stack
# ~ left, squares, _ = np.linalg.svd(products, hermitian=True) => _, values, Vt = np.linalg.svd(factor.T)
# ~ left.T[:k], squares[:k] ** 0.5 => Vt[:k], values[:k]
# ~ np.float64(0.99925) => -0.99925
# -     products = M + n * mean[:, None] * mean
# +     factor = np.linalg.cholesky(M + n * np.outer(mean, mean) + 1e-12 * np.trace(M) * np.eye(len(M)))

# %% wrong b_by_n: Divides the products by n - 1 first, so these are not the singular values of X.
# fails: The singular values equal NumPy's for the table itself, not centred
# ~ squares[:k] ** 0.5 => (squares[:k] / (n - 1)) ** 0.5

# %% wrong b_columns: The components are columns, but 'one per row' is asked.
# fails: Each row is the right direction, up to sign
# ~ left.T[:k] => left[:, :k]

# %% wrong b_minus: Subtracts n m mᵀ, which would centre once more; the text adds it.
# fails: The singular values equal NumPy's for the table itself, not centred
# ~ M + n * mean => M - n * mean

# %% wrong c_cosine_guessed: The cosine is guessed: the directions are close to each other, but not the same.
# fails: cosine is that of the mean patch and the first component of the 16 × 16 patches, up to sign
# ~ np.float64(0.99925) => 1.0
