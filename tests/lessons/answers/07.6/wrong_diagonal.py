import numpy as np


def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    level, levels = client.map(r_of, parts, pure=False), [len(parts)]
    while len(level) > 1:
        level = [client.submit(r_of, *level[i : i + 2], pure=False) for i in range(0, len(level), 2)]
        levels.append(len(level))
    R = level[0].result()
    return np.sort(np.abs(np.diag(R)))[::-1], np.eye(len(R)), levels
