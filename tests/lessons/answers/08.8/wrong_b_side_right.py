"""Wrong: side='right' gives the place after the label, one too many."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    codes = np.searchsorted(categories, block, side="right")
    return np.where(np.isin(block, categories), codes, -1)
