def late_on_ranks(comm, own):
    return sum(comm.allgather(sum(1 for delay in own.tolist() if delay > 0)))


def late_with_dask(y):
    return int(y[y > 0].map_blocks(lambda block: block * 0 + 1).sum().compute())
