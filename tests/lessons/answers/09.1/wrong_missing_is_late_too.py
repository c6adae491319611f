"""Wrong: 'not on time' counts the missing delays (NaN) as late."""


def late_on_ranks(comm, own):
    return comm.allreduce(len(own) - int((own <= 0).sum()))


def late_with_dask(y):
    return int((~(y <= 0)).sum().compute())
