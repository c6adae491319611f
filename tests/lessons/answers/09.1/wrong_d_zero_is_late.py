"""A delay of 0 counts as late."""


def late_on_ranks(comm, own):
    return int(comm.allreduce(int((own >= 0).sum())))


def late_with_dask(y):
    return int((y >= 0).sum().compute())
