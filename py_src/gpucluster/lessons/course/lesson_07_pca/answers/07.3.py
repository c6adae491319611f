import numpy as np

# %% right all_in_float64
def block_moments(block):
    rows = np.asarray(block, dtype=float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    n = a[0] + b[0]
    mean = (a[0] * a[1] + b[0] * b[1]) / n
    between = a[0] * np.outer(a[1] - mean, a[1] - mean) + b[0] * np.outer(b[1] - mean, b[1] - mean)
    return n, mean, a[2] + b[2] + between

# %% right b_numpy_cov: np.cov times n gives the products, and an extra row of the stack gives the term with delta.
def block_moments(block):
    wide = np.array(block, dtype=float)
    M = np.atleast_2d(np.cov(wide, rowvar=False, bias=True)) * len(wide)
    return len(wide), np.mean(wide, axis=0), M


def merge(a, b):
    weights = [a[0], b[0]]
    means = np.stack([a[1], b[1]])
    mean = np.average(means, axis=0, weights=weights)
    away = (means - mean) * np.sqrt(weights)[:, None]
    return sum(weights), mean, sum([a[2], b[2], away.T @ away])

# %% right shifted
def block_moments(block):
    shifted = (block - block[0]).astype(float)  # about a row of the block, then corrected
    sums, n = shifted.sum(axis=0), len(shifted)
    return n, block[0].astype(float) + sums / n, shifted.T @ shifted - np.outer(sums, sums) / n


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)

# %% wrong b_elementwise: Delta * delta has d numbers and is added to each row, but δ δᵀ has d × d.
# fails: The merged products are those of all rows about their common mean
# -     between = a[0] * np.outer(a[1] - mean, a[1] - mean) + b[0] * np.outer(b[1] - mean, b[1] - mean)
# +     between = a[0] * (a[1] - mean) ** 2 + b[0] * (b[1] - mean) ** 2

# %% wrong b_mean_of_means: The mean of the two means, whatever the number of rows.
# fails: The merged mean is the mean of all rows
# ~ (a[0] * a[1] + b[0] * b[1]) / n => (a[1] + b[1]) / 2

# %% wrong b_not_by_n, edit of right shifted: The last term is not divided by n.
# fails: The merged products are those of all rows about their common mean
# ~ a[0] * b[0] / n * np.outer => a[0] * b[0] * np.outer

# %% wrong b_one_pass, edit of right all_in_float64: One pass without centring first, in float32, so the digits are gone far from zero.
# fails: Far from zero, the error of the variances is at least 100 times smaller than with one pass in float32
def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    return len(block), mean, (block.T @ block).astype(float) - len(block) * np.outer(mean, mean)

# %% wrong c_divided_by_n_minus_1_both: Covariances instead of products, merged as covariances; a block of one row gives NaN.
# fails: A block's products are sums over its rows, about their mean, not divided by n or n − 1
# ~ (rows - mean).T @ (rows - mean) => (rows - mean).T @ (rows - mean) / (len(rows) - 1)
# ~ a[2] + b[2] + between => ((a[0] - 1) * a[2] + (b[0] - 1) * b[2] + between) / (n - 1)

# %% wrong float64_too_late, edit of right shifted
# fails: The mean of a float32 block is computed in float64
def block_moments(block):
    mean = block.mean(axis=0)  # added up in float32
    rows = block.astype(float) - mean
    return len(block), mean.astype(float), rows.T @ rows

# %% wrong mean_in_float32, edit of wrong float64_too_late
# fails: The mean and the products are float64
# ~ block.astype(float) => block
# ~ mean.astype(float), rows.T @ rows => mean, (rows.T @ rows).astype(float)

# %% wrong one_pass_in_float64: One pass, with twice the digits.
# fails: float64 blocks keep their digits as well: the mean is subtracted before squaring
# ~ (rows - mean).T @ (rows - mean) => rows.T @ rows - len(rows) * np.outer(mean, mean)

# %% wrong ragged_mean
# fails: mean contains numbers
# ~ len(rows), mean, => len(rows), [[1.0, 2.0], [3.0]],
