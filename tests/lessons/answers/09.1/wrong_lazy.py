"""Wrong: the Dask function returns a lazy array and no number (compute forgotten)."""


def late_on_ranks(comm, own):
    return comm.allreduce(int((own > 0).sum()))


def late_with_dask(y):
    return (y > 0).sum()
