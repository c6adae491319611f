"""Wrong: comm.gather and reduce on rank 0, though only send and recv are allowed, and no tree of merges."""

from functools import reduce


def tree_reduce(comm, value, merge):
    values = comm.gather(value, root=0)
    return reduce(merge, values) if comm.rank == 0 else None
