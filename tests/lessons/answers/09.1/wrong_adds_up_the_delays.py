import numpy as np


def late_on_ranks(comm, own):
    return int(comm.allreduce(np.nansum(own[own > 0])))


def late_with_dask(y):
    return int(y[y > 0].sum().compute())
