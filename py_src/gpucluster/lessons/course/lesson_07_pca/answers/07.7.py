"""Answers to exercise 07.7."""

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
# fails: The singular values are those of NumPy for the table itself, not centred
# ~ np.float64(0.99925) => 0.99925
# -     products = M + n * mean[:, None] * mean
# -     left, squares, _ = np.linalg.svd(products, hermitian=True)
# -     return left.T[:k], squares[:k] ** 0.5
# +     values, vectors = np.linalg.eigh((M + n * np.outer(mean, mean)) / (n - 1))
# +     return vectors.T[::-1][:k], np.sqrt(np.maximum(values[::-1][:k], 0))

# %% wrong b_columns: The components are columns, but 'one per row' is asked.
# fails: Each row is the right direction, up to its sign
# edit of wrong b_by_n
# ~ eigh((M + n * np.outer(mean, mean)) / (n - 1)) => eigh(M + n * np.outer(mean, mean))
# ~ return vectors.T[::-1][:k] => return vectors[:, ::-1][:, :k]

# %% wrong b_minus: Subtracts n m mᵀ, which would centre once more; the text adds it.
# fails: The singular values are those of NumPy for the table itself, not centred
# edit of wrong b_by_n
# ~ eigh((M + n * np.outer(mean, mean)) / (n - 1)) => eigh(M - n * np.outer(mean, mean))

# %% wrong b_pca: Forgets n m mᵀ, so it is PCA and not 'without centring'.
# fails: The singular values are those of NumPy for the table itself, not centred
# edit of wrong b_by_n
# ~ eigh((M + n * np.outer(mean, mean)) / (n - 1)) => eigh(M)
# ~ cosine = 0.99925 => cosine = 0.99361

# %% wrong c_cosine_guessed: The cosine is guessed: the directions are close to each other, but not the same.
# fails: cosine is that of the angle between the mean patch and the first component of the 16 × 16 patches, up to sign
# edit of wrong b_by_n
# ~ eigh((M + n * np.outer(mean, mean)) / (n - 1)) => eigh(M + n * np.outer(mean, mean))
# ~ cosine = 0.99925 => cosine = 1.0
