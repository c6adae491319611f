import numpy as np

# %% right one_hot: A product with a matrix of zeros and ones.
def class_sums(X, y, n_classes):
    member = (y[:, None] == np.arange(n_classes)).astype(float)
    return member.sum(axis=0), member.T @ X


def naive_bayes(counts, sums, alpha=1.0):
    smooth = np.log(sums + alpha)
    return np.log(counts) - np.log(np.sum(counts)), smooth - np.log(np.exp(smooth).sum(axis=1))[:, None]

# %% right b_bincount: Bincount with weights, one pixel at a time, and differences of logarithms.
def class_sums(X, y, n_classes):
    labels = np.asarray(y).astype(np.intp)
    counts = np.bincount(labels, minlength=n_classes)
    sums = np.stack([np.bincount(labels, weights=pixel, minlength=n_classes) for pixel in np.asarray(X).T], axis=1)
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts) - np.log(np.sum(counts))
    smoothed = np.asarray(sums, dtype=np.float64) + alpha
    return prior, np.log(smoothed) - np.log(smoothed.sum(axis=1))[:, None]

# %% right loop: One class after the other, one pixel after the other.
def class_sums(X, y, n_classes):
    counts, sums = [0] * n_classes, np.zeros((n_classes, X.shape[1]))
    for row, label in zip(X, y, strict=False):
        counts[label] += 1
        sums[label] += row
    return counts, sums


def naive_bayes(counts, sums, alpha):
    prior = [np.log(count / sum(counts)) for count in counts]
    likelihood = []
    for row in sums:
        below = row.sum() + alpha * len(row)
        likelihood.append([np.log((ink + alpha) / below) for ink in row])
    return prior, likelihood

# %% wrong alpha_always_one: Works for the default alpha only.
# fails: likelihood equals scikit-learn's, for any alpha
# ~ log(sums + alpha) => log(sums + 1)

# %% wrong own_classes: Only the classes that the block has: blocks no longer fit together.
# fails: counts has the right shape
# ~ np.arange(n_classes) => np.unique(y)

# %% wrong b_uniform_prior: The prior is the same for each class, not its share of the rows.
# fails: prior is the logarithm of each class's share of the rows
# ~ np.log(counts) - np.log(np.sum(counts)) => np.full(len(counts), -np.log(len(counts)))

# %% wrong c_sums_of_a_byte: The sums have the type of the block, so those of pixels of one byte overflow.
# fails: Sums of one-byte integers may exceed one byte
# ~ sum(axis=0), member.T @ X => sum(axis=0), member.T.astype(X.dtype) @ X
