def tree_reduce(comm, value, merge):
    if comm.rank + 1 < comm.size:
        value = merge(value, comm.recv(source=comm.rank + 1))
    if comm.rank:
        comm.send(value, dest=comm.rank - 1)
        return None
    return value
