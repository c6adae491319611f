def tree_reduce(comm, value, merge):
    size = comm.size
    while size > 1:
        half = (size + 1) // 2
        if comm.rank >= half:
            comm.send(value, dest=comm.rank - half)
            return None
        if comm.rank + half < size:
            value = merge(value, comm.recv(source=comm.rank + half))
        size = half
    return value
