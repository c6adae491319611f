"""A lazy tree of delayed tasks, one compute, and the levels counted on the way."""

import dask
import numpy as np
from gpucluster.lessons import as_numpy


def small_r(block):
    return as_numpy(np.linalg.qr(block, mode="r"))


def stack(several):
    return np.linalg.qr(np.vstack(several), mode="r") if len(several) > 1 else several[0]


def tall_svd(client, parts):
    tasks = [dask.delayed(small_r)(part) for part in parts]
    levels = []
    while True:
        levels.append(len(tasks))
        if len(tasks) == 1:
            break
        tasks = [dask.delayed(stack)(tasks[i : i + 2]) for i in range(0, len(tasks), 2)]
    R = client.compute(tasks[0]).result()
    _, values, Vt = np.linalg.svd(R)
    return values, Vt, levels
