def tree_reduce(comm, value, merge):
    step = 1
    while 2 * step <= comm.size:
        if comm.rank % (2 * step):
            comm.send(value, dest=comm.rank - step)
            return None
        if comm.rank + step < comm.size:
            value = merge(value, comm.recv(source=comm.rank + step))
        step *= 2
    return value if comm.rank == 0 else None
