def tree_reduce(comm, value, merge):
    rank, size = comm.Get_rank(), comm.Get_size()
    bit = 1
    while bit < size:
        if rank & bit:
            comm.send(value, rank ^ bit, tag=7)
            return None
        partner = rank | bit
        if partner < size:
            value = merge(value, comm.recv(source=partner, tag=7))
        bit <<= 1
    return value
