"""Wrong: makes texts of all labels, although a whole number stays one."""

import numpy as np


def distinct(block):
    return sorted({str(label) for label in block})


def encode(block, categories):
    places = {str(label): code for code, label in enumerate(categories)}
    return np.array([places.get(str(label), -1) for label in block])
