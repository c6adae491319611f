"""Right: plays all rounds on a list of the ranks that are left, neighbours pairwise."""


def tree_reduce(comm, value, merge):
    left = list(range(comm.size))
    while len(left) > 1:
        for receiver, sender in zip(left[::2], left[1::2], strict=False):
            if comm.rank == sender:
                comm.send(value, dest=receiver)
                return None
            if comm.rank == receiver:
                value = merge(value, comm.recv(source=sender))
        left = left[::2]
    return value
