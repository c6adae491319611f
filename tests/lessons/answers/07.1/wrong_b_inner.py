"""Wrong: the inner product of the sums is one number, the formula has s sᵀ."""


def moments(block):
    wide = block.astype(float)
    return len(wide), wide.sum(axis=0), wide.T @ wide


def covariance(n, sums, products):
    return (products - (sums @ sums) / n) / (n - 1)
