"""Wrong: searchsorted alone gives a word that is not in the list the code of another word."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    return np.searchsorted(categories, block)
