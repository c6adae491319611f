"""Wrong: comm.reduce gives the number to rank 0 only, all others return None."""


def late_on_ranks(comm, own):
    return comm.reduce(int((own > 0).sum()), root=0)


def late_with_dask(y):
    return int((y > 0).sum().compute())
