"""Wrong: all delays travel: gathered on the ranks, computed into the notebook with Dask."""

import numpy as np


def late_on_ranks(comm, own):
    everything = np.concatenate(comm.allgather(own))
    return int((everything > 0).sum())


def late_with_dask(y):
    return int((y.compute() > 0).sum())
