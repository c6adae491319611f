def tree_reduce(comm, value, merge):
    left = list(range(comm.size))
    while len(left) > 1:
        for receiver, sender in zip(left[::2], left[1::2], strict=False):
            if comm.rank == sender:
                comm.isend(value, dest=receiver).wait()
                return None
            if comm.rank == receiver:
                value = merge(value, comm.irecv(source=sender).wait())
        left = left[::2]
    return value
