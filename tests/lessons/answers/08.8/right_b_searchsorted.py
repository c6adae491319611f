"""Right: searchsorted, and a ValueError where the label found is another one."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    block, categories = np.asarray(block), np.asarray(categories)
    if len(block) == 0:
        return np.empty(0, dtype=np.intp)
    if len(categories) == 0:
        raise ValueError("there are no categories")
    codes = np.minimum(np.searchsorted(categories, block), len(categories) - 1)
    unknown = categories[codes] != block
    if unknown.any():
        raise ValueError(f"not in the list: {np.unique(block[unknown])}")
    return codes
