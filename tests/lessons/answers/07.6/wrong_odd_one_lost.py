import numpy as np


def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    level, levels = client.map(r_of, parts, pure=False), [len(parts)]
    while len(level) > 1:
        level = [client.submit(r_of, one, two, pure=False) for one, two in zip(level[::2], level[1::2], strict=False)]
        levels.append(len(level))
    _, values, Vt = np.linalg.svd(level[0].result())
    return values, Vt, levels
