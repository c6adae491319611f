"""Wrong: >= 0 counts flights that are exactly on time as late."""


def late_on_ranks(comm, own):
    return comm.allreduce(int((own >= 0).sum()))


def late_with_dask(y):
    return int((y >= 0).sum().compute())
