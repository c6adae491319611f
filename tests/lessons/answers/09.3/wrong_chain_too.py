"""Wrong: a chain from the last rank to the first; rank 0 receives once, but n - 1 merges wait for each other."""


def tree_reduce(comm, value, merge):
    if comm.rank + 1 < comm.size:
        value = merge(value, comm.recv(source=comm.rank + 1))
    if comm.rank > 0:
        comm.send(value, dest=comm.rank - 1)
        return None
    return value
