# %% right bits
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

# %% right list_of_rounds: Plays all rounds on a list of the ranks that are left, neighbours pairwise.
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

# %% wrong all_to_all
# fails: There are n - 1 messages in total: each rank except 0 sends once
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

# %% wrong chain
# fails: At most log2(n) merges, rounded up, run in sequence
def tree_reduce(comm, value, merge):
    if comm.rank + 1 < comm.size:
        value = merge(value, comm.recv(source=comm.rank + 1))
    if comm.rank:
        comm.send(value, dest=comm.rank - 1)
        return None
    return value

# %% wrong collective
# fails: It uses only send and recv
from functools import reduce


def tree_reduce(comm, value, merge):
    values = comm.gather(value, root=0)
    return reduce(merge, values) if comm.rank == 0 else None

# %% wrong everybody_returns, edit of the solution
# fails: The other ranks return None
# ~ return None => return value

# %% wrong order, edit of the solution: Merges the received value in front of the own one, so that the order is reversed.
# fails: The result is in the order of the ranks
# ~ value, comm.recv(source=comm.rank + step) => comm.recv(source=comm.rank + step), value

# %% wrong master, edit of wrong collective
# fails: Rank 0 receives at most log2(n) messages, rounded up
def tree_reduce(comm, value, merge):
    if comm.rank:
        comm.send(value, dest=0)
        return None
    return reduce(merge, [comm.recv(source=other) for other in range(1, comm.size)], value)

# %% wrong off_by_one, edit of the solution
# fails: Each rank's value occurs in the result once
# ~ rank + step < comm.size: => rank + step < comm.size - 1:

# %% wrong powers_of_two_only, edit of the solution
# fails: Each rank's value occurs in the result once
# ~ while step < => while 2 * step <=
# ~ return value => return value if comm.rank == 0 else None
