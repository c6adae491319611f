"""Wrong: only the largest power of two of ranks takes part; the values of the others are lost (right for 8)."""


def tree_reduce(comm, value, merge):
    size = 1 << (comm.size.bit_length() - 1)
    if comm.rank >= size:
        return None
    step = 1
    while step < size:
        if comm.rank % (2 * step):
            comm.send(value, dest=comm.rank - step)
            return None
        value = merge(value, comm.recv(source=comm.rank + step))
        step *= 2
    return value
