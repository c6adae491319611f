"""NumPy's integers."""

import numpy as np


def pool_size(card_mib, n_processes, context_mb=500):
    room = np.int64(card_mib) * 1024**2 * 9 // 10 - np.int64(n_processes) * context_mb * 1000**2
    return np.maximum(room // 256 * 256, 0)
