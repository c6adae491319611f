from functools import reduce


def tree_reduce(comm, value, merge):
    if comm.rank:
        comm.send(value, dest=0)
        return None
    return reduce(merge, [comm.recv(source=other) for other in range(1, comm.size)], value)
