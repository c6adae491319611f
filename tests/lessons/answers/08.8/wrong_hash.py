"""A hash: two labels may share a code, and codes mean nothing."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    return np.array([sum(map(ord, str(label))) % len(categories) for label in block.tolist()])
