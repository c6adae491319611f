import dask
import numpy as np


def three_answers(pieces):
    values = np.concatenate(dask.compute(*pieces))
    return len(values), values.mean(), values.max()
