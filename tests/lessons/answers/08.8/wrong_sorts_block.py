import numpy as np


def distinct(block):
    block.sort()
    return block[np.r_[True, block[1:] != block[:-1]]]


def encode(block, categories):
    code = {c: i for i, c in enumerate(categories.tolist())}
    return np.array([code[b] for b in block.tolist()])
