"""Wrong: ranks other than 0 return their partial value in place of None."""


def tree_reduce(comm, value, merge):
    step = 1
    while step < comm.size:
        if comm.rank % (2 * step) == step:
            comm.send(value, dest=comm.rank - step)
            break
        if comm.rank + step < comm.size:
            value = merge(value, comm.recv(source=comm.rank + step))
        step *= 2
    return value
