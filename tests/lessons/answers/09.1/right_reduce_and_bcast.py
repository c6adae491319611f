import dask.array as da
import numpy as np


def late_on_ranks(comm, own):
    total = comm.reduce(np.count_nonzero(own > 0), root=0)
    return comm.bcast(total, root=0)


def late_with_dask(y):
    return da.sum(y > 0).compute()
