"""Right: count_nonzero with allreduce of a NumPy integer; a Dask where and sum."""

import dask.array as da
import numpy as np


def late_on_ranks(comm, own):
    return comm.allreduce(np.int64(np.count_nonzero(np.greater(own, 0))))


def late_with_dask(y):
    return int(da.where(y > 0, 1, 0).sum().compute())
