"""All to rank 0, and back."""


def ring_allreduce(comm, values):
    if comm.rank:
        comm.send(values, dest=0)
        return comm.recv(source=0)
    total = values + sum(comm.recv(source=other) for other in range(1, comm.size))
    for other in range(1, comm.size):
        comm.send(total, dest=other)
    return total
