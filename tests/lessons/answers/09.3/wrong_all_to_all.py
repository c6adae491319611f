def tree_reduce(comm, value, merge):
    step = 1
    while step < comm.size:
        partner = comm.rank ^ step
        if partner < comm.size:
            comm.isend(value, dest=partner)
            other = comm.recv(source=partner)
            value = merge(value, other) if comm.rank < partner else merge(other, value)
        step *= 2
    return value if comm.rank == 0 else None
