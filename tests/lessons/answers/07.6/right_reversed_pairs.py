import numpy as np


def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    level, levels = client.map(r_of, parts, pure=False), [len(parts)]
    while levels[-1] > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [
            client.submit(r_of, two, one, pure=False) for one, two in zip(level[::2], level[1::2], strict=False)
        ] + odd
        levels.append(len(level))
    values, Vt = client.submit(lambda R: np.linalg.svd(R)[1:], level[0], pure=False).result()
    return values, Vt, levels
