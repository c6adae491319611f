import numpy as np


def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    _, values, Vt = np.linalg.svd(np.concatenate(client.gather(parts)), full_matrices=False)
    levels = [len(parts)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // 2))
    return values, Vt, levels
