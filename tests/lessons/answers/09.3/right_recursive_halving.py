def tree_reduce(comm, value, merge):
    return collect(comm, value, merge, 0, comm.size)


def collect(comm, value, merge, first, last):
    """Ranks first to last - 1: the result at rank first."""
    if last - first == 1:
        return value
    half = 1
    while 2 * half < last - first:
        half *= 2
    middle = first + half
    if comm.rank < middle:
        value = collect(comm, value, merge, first, middle)
        return merge(value, comm.recv(source=middle)) if comm.rank == first else None
    value = collect(comm, value, merge, middle, last)
    if comm.rank == middle:
        comm.send(value, dest=first)
    return None
