"""Wrong: merges the received value in front of the own one, so that the order is reversed."""


def tree_reduce(comm, value, merge):
    step = 1
    while step < comm.size:
        if comm.rank % (2 * step):
            comm.send(value, dest=comm.rank - step)
            return None
        if comm.rank + step < comm.size:
            value = merge(comm.recv(source=comm.rank + step), value)
        step *= 2
    return value
