import dask
import numpy as np


def tall_svd(client, parts):
    level = [dask.delayed(np.linalg.qr)(part, mode="r") for part in parts]
    levels = [len(level)]
    while len(level) > 1:
        level = [
            dask.delayed(lambda pair: np.linalg.qr(np.vstack(pair), mode="r"))(level[i : i + 2])
            for i in range(0, len(level), 2)
        ]
        levels.append(len(level))
    R = client.compute(level[0]).result()
    _, values, Vt = np.linalg.svd(R, full_matrices=True)
    return list(values), Vt, levels
