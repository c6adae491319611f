"""Wrong: adds up the minutes of the late flights in place of counting them."""


def late_on_ranks(comm, own):
    return comm.allreduce(int(own[own > 0].sum()))


def late_with_dask(y):
    return int(y[y > 0].sum().compute())
