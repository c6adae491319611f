"""Answers to exercise 07.1."""

# %% right b_einsum: einsum for the products and for the outer product of the sums.
import numpy as np


def moments(block):
    rows = np.asarray(block, dtype="f8")
    return rows.shape[0], np.einsum("ij->j", rows), np.einsum("ij,ik->jk", rows, rows, optimize=True)


def covariance(n, sums, products):
    return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))

# %% right einsum
# edit of right b_einsum
# ~ asarray(block, dtype="f8") => asarray(block, dtype=np.float64)
# ~ rows, optimize=True => rows
# -     return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))
# +     mean = sums / n
# +     return (products - n * mean[:, None] * mean[None, :]) / (n - 1)

# %% wrong axis
# fails: products has the right shape
# edit of right b_einsum
# ~ rows = np.asarray(block, dtype="f8") => rows = block.astype(float)
# -     return rows.shape[0], np.einsum("ij->j", rows), np.einsum("ij,ik->jk", rows, rows, optimize=True)
# +     return len(rows), rows.sum(axis=0), rows @ rows.T
# -     return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))
# +     return (products - np.outer(sums, sums) / n) / (n - 1)

# %% wrong b_centred: Subtracts the block's mean first, so the products are not XᵀX and do not add up.
# fails: products is XᵀX: one number for each pair of columns
# edit of wrong axis
# -     rows = block.astype(float)
# -     return len(rows), rows.sum(axis=0), rows @ rows.T
# +     wide = block.astype(float)
# +     centred = wide - wide.mean(axis=0)
# +     return len(wide), wide.sum(axis=0), centred.T @ centred

# %% wrong b_divided_by_n: Divides by n, but 'divided by n - 1' is asked.
# fails: The covariance matrix is that of np.cov
# edit of wrong axis
# ~ rows = block => wide = block
# ~ len(rows), rows.sum(axis=0), rows @ rows.T => len(wide), wide.sum(axis=0), wide.T @ wide
# ~ return (products - np.outer(sums, sums) / n) / (n - 1) => return (products - np.outer(sums, sums) / n) / n

# %% wrong b_float32: Adds up in the type of the block, but float64 is asked.
# fails: Blocks of float32 are added up in float64
# edit of wrong axis
# ~ rows = block.astype(float) => wide = block
# ~ len(rows), rows.sum(axis=0), rows @ rows.T => len(wide), wide.sum(axis=0), wide.T @ wide

# %% wrong b_means: Returns the means of the columns where the sums are asked.
# fails: sums are the sums of the columns
# edit of wrong axis
# ~ rows = block => wide = block
# ~ len(rows), rows.sum(axis=0), rows @ rows.T => len(wide), wide.mean(axis=0), wide.T @ wide

# %% wrong b_only_variances: Multiplies each column with itself only, but 'products of each pair of columns' are asked.
# fails: products is XᵀX: one number for each pair of columns
# edit of wrong b_means
# ~ mean(axis=0), wide.T @ wide => sum(axis=0), np.diag((wide**2).sum(axis=0))

# %% wrong b_rows: Adds up and multiplies along the other axis, so n × n numbers come out and not d × d.
# fails: sums has the right shape
# edit of wrong b_means
# ~ mean(axis=0), wide.T @ wide => sum(axis=1), wide @ wide.T

# %% wrong b_size: N is the number of all numbers, but the number of rows is asked.
# fails: n counts the rows
# edit of wrong b_means
# ~ len(wide), wide.mean => wide.size, wide.sum

# %% wrong overwrites: covariance works in its argument.
# fails: Inputs are not modified
# edit of wrong axis
# ~ rows @ rows.T => rows.T @ rows
# -     return (products - np.outer(sums, sums) / n) / (n - 1)
# +     products -= np.outer(sums, sums) / n
# +     products /= n - 1
# +     return products
