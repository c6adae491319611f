"""Rank 0 alone has the number of all; the others keep their own."""


def late_on_ranks(comm, own):
    mine = int((own > 0).sum())
    parts = comm.allgather(mine)
    return sum(parts) if comm.rank == 0 else mine


def late_with_dask(y):
    return int((y > 0).sum().compute())
