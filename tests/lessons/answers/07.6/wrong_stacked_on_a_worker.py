"""All rows in one place, and levels that are made up."""

import numpy as np


def tall_svd(client, parts):
    values, Vt = client.submit(
        lambda blocks: np.linalg.svd(np.concatenate(blocks), full_matrices=False)[1:], parts, pure=False
    ).result()
    levels = [len(parts)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // 2))
    return values, Vt, levels
