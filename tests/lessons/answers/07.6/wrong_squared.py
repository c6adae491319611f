import numpy as np


def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    products = sum(client.gather(client.map(lambda block: block.T @ block, parts, pure=False)))
    eigenvalues, vectors = np.linalg.eigh(products)
    levels = [len(parts)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // 2))
    return np.sqrt(np.maximum(eigenvalues[::-1], 0)), vectors[:, ::-1].T, levels
