"""Looks at the first rows only."""

import numpy as np


def distinct(block):
    return np.unique(block[:1])


def encode(block, categories):
    codes = np.searchsorted(categories, block)
    known = categories[np.minimum(codes, len(categories) - 1)] == block
    return np.where(known, codes, -1)
