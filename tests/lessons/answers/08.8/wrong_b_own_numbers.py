"""Wrong: each block numbers its own words and does not use the merged list."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    return np.unique(block, return_inverse=True)[1]
