"""Right: bit tricks: the parent is the rank without its lowest bit."""


def tree_reduce(comm, value, merge):
    rank, size = comm.rank, comm.size
    lowest = rank & -rank if rank else 1 << size.bit_length()
    bit = 1
    while bit < lowest and rank | bit < size:
        value = merge(value, comm.recv(source=rank | bit))
        bit <<= 1
    if rank == 0:
        return value
    comm.send(value, dest=rank ^ lowest)
    return None
