from functools import reduce


def tree_reduce(comm, value, merge):
    values = comm.gather(value, root=0)
    return reduce(merge, values) if comm.rank == 0 else None
