"""Numbers in the order in which labels appear."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    seen = list(dict.fromkeys(block.tolist()))
    return np.array([seen.index(label) for label in block.tolist()])
