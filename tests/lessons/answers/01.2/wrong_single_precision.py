import numpy as np


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return np.ceil(np.float32(data_bytes) / np.float32(node_bytes * usable))
