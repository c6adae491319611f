"""Sends all rows."""

import numpy as np


def distinct(block):
    return block


def encode(block, categories):
    codes = np.searchsorted(categories, block)
    known = categories[np.minimum(codes, len(categories) - 1)] == block
    return np.where(known, codes, -1)
