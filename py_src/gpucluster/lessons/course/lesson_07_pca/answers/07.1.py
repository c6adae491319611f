# %% right b_einsum: einsum for the products and for the outer product of the sums.
import numpy as np


def moments(block):
    rows = np.asarray(block, dtype="f8")
    return rows.shape[0], np.einsum("ij->j", rows), np.einsum("ij,ik->jk", rows, rows, optimize=True)


def covariance(n, sums, products):
    return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))

# %% right einsum
# ~ asarray(block, dtype="f8") => asarray(block, dtype=np.float64)
# ~ rows, optimize=True => rows
# -     return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))
# +     mean = sums / n
# +     return (products - n * mean[:, None] * mean[None, :]) / (n - 1)

# %% wrong axis
# fails: products has the right shape
# ~ "ij,ik->jk" => "ij,kj->ik"

# %% wrong b_centred: Subtracts the block's mean first, so the products are not XᵀX and do not add up.
# fails: products is XᵀX: one number for each pair of columns
# ~ rows, rows, optimize=True => rows - rows.mean(axis=0), rows - rows.mean(axis=0)

# %% wrong b_divided_by_n: Divides by n, but 'divided by n - 1' is asked.
# fails: The covariance matrix equals that of np.cov
# ~ products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1)) => products / n - np.outer(sums, sums) / n**2

# %% wrong b_float32: Adds up in the type of the block, but float64 is asked.
# fails: float32 blocks are summed in float64
# ~ asarray(block, dtype="f8") => asarray(block)

# %% wrong b_means: Returns the means of the columns where the sums are asked.
# fails: sums are the column sums
# ~ np.einsum("ij->j", rows) => rows.mean(axis=0)

# %% wrong b_only_variances: Multiplies each column with itself only, but 'products of each pair of columns' are asked.
# fails: products is XᵀX: one number for each pair of columns
# ~ np.einsum("ij,ik->jk", rows, rows, optimize=True) => np.diag((rows**2).sum(axis=0))

# %% wrong b_rows: Adds up and multiplies along the other axis, so n × n numbers come out and not d × d.
# fails: sums has the right shape
# ~ "ij->j" => "ij->i"
# ~ "ij,ik->jk" => "ij,kj->ik"

# %% wrong b_size: N is the number of all numbers, but the number of rows is asked.
# fails: n counts the rows
# ~ rows.shape[0] => rows.size
