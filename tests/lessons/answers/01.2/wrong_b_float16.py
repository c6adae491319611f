"""Wrong: float16 cannot hold the sizes, so the number of nodes is not the smallest."""

import numpy as np


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(np.ceil(np.float16(data_bytes / node_bytes) / np.float16(usable)))
