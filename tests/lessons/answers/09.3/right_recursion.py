"""Right: recursion over ranges of ranks, cut in the middle."""


def tree_reduce(comm, value, merge):
    def work(low, high, mine):
        if high - low == 1:
            return mine
        middle = (low + high + 1) // 2
        if comm.rank < middle:
            mine = work(low, middle, mine)
            return merge(mine, comm.recv(source=middle)) if comm.rank == low else None
        mine = work(middle, high, mine)
        if comm.rank == middle:
            comm.send(mine, dest=low)
        return None

    return work(0, comm.size, value)
