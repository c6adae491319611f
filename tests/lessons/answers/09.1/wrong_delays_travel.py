import numpy as np


def late_on_ranks(comm, own):
    return int((np.concatenate(comm.allgather(own)) > 0).sum())


def late_with_dask(y):
    return int((y > 0).sum().compute())
