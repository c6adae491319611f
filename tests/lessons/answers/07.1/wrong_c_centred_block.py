"""Wrong: subtracts the block's own mean, which does not add up over blocks."""


def moments(block):
    rows = block.astype(float)
    centred = rows - rows.mean(axis=0)
    return len(rows), rows.sum(axis=0), centred.T @ centred


def covariance(n, sums, products):
    return products / (n - 1)
