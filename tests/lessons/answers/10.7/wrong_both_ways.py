"""Half of it to the right, half to the left: other messages than asked for."""


def ring_allreduce(comm, values):
    n, me = comm.size, comm.rank
    total = values.copy()
    if n == 1:
        return total
    for step, side in ((1, slice(None, len(values) // 2)), (-1, slice(len(values) // 2, None))):
        moving = values[side]
        for _ in range(n - 1):
            moving = comm.sendrecv(moving, dest=(me + step) % n, source=(me - step) % n)
            total[side] += moving
    return total
