"""Wrong: subtracts the block's mean first, so the products are not XᵀX and do not add up."""

import numpy as np


def moments(block):
    wide = block.astype(float)
    centred = wide - wide.mean(axis=0)
    return len(wide), wide.sum(axis=0), centred.T @ centred


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
