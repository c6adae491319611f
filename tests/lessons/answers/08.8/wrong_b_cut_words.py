"""Wrong: cuts the categories to the length of the block's words, so an unknown short word gets the code of a longer one."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    known = np.asarray(categories).astype(block.dtype).tolist()
    return np.array([known.index(label) if label in known else -1 for label in block.tolist()], dtype=int)
