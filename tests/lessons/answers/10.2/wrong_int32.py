"""Wrong: computes in 32-bit integers, which overflow for large networks."""

import numpy as np


def n_parameters(sizes):
    s = np.array(sizes, dtype=np.int32)
    return int(((s[:-1] + 1) * s[1:]).sum(dtype=np.int32))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return int(np.int32(copies * n_parameters(sizes) * itemsize & 0x7FFFFFFF)) + itemsize * rows * sum(sizes)
