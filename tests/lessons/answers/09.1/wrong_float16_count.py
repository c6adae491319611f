import numpy as np


def late_on_ranks(comm, own):
    return int(comm.allreduce(np.float16((own > 0).sum())))


def late_with_dask(y):
    return int((y > 0).astype(np.float16).sum(dtype=np.float16).compute())
