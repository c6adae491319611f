import numpy as np

# %% right lists: Lists of numbers; a dictionary of parts.
def ring_allreduce(comm, values):
    n, me = comm.size, comm.rank
    parts = dict(enumerate(np.array_split(np.asarray(values), n)))
    current = me
    for turn in range(2 * (n - 1)):
        received = comm.sendrecv(parts[current], dest=(me + 1) % n, source=(me - 1) % n)
        current = (current - 1) % n
        parts[current] = parts[current] + received if turn < n - 1 else received
    return np.hstack([parts[number] for number in range(n)])

# %% right buffers: Even ranks send first, odd ones receive first, with buffers in equal parts that are filled up.
def ring_allreduce(comm, values):
    n, me = comm.size, comm.rank
    each = -(-len(values) // n)
    work = np.zeros(n * each)
    work[: len(values)] = values
    work = work.reshape(n, each)
    came = np.empty(each)

    def pass_on(part):
        request = comm.Irecv(came, source=(me - 1) % n)
        comm.Send(np.ascontiguousarray(work[part]), dest=(me + 1) % n)
        request.Wait()

    for k in range(1, n):
        pass_on((me - k + 1) % n)
        work[(me - k) % n] += came
    for k in range(1, n):
        pass_on((me - k + 2) % n)
        work[(me - k + 1) % n] = came
    return work.ravel()[: len(values)]

# %% right other_way: To the left, with isend and recv.
def ring_allreduce(comm, values):
    n, me = comm.Get_size(), comm.Get_rank()
    if n == 1:
        return np.array(values)
    total = np.array(values, dtype=float)
    edges = [len(values) * k // n for k in range(n + 1)]
    pieces = [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=False)]
    for turn in range(2 * n - 2):
        out, into = pieces[(me + turn) % n], pieces[(me + turn + 1) % n]
        sent = comm.isend(total[out].copy(), dest=(me - 1) % n, tag=turn)
        came = comm.recv(source=(me + 1) % n, tag=turn)
        sent.wait()
        total[into] = came + total[into] if turn < n - 1 else came
    return total

# %% wrong added_twice: Also complete parts are added.
# fails: Every rank gets the sum of all arrays
# ~ received if turn < n - 1 else received => received

# %% wrong adding_only: Only the rounds of adding; each rank has one complete part.
# fails: Every rank gets the sum of all arrays
# ~ 2 * (n - 1) => n - 1

# %% wrong allreduce: What is to be built is called.
# fails: Only messages between two ranks are used
def ring_allreduce(comm, values):
    return comm.allreduce(values)

# %% wrong both_ways: Half of it to the right, half to the left: other messages than asked for.
# fails: All ranks have bitwise equal numbers
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

# %% wrong changes_input: Adds in place to views of the array that it was given.
# fails: Inputs are not modified
# ~ parts[current] = parts => parts[current][:] = parts

# %% wrong equal_parts_only, edit of the solution: The rest that does not divide is lost.
# fails: The result has the right shape
# ~ in np.array_split(values, n) => in np.split(values[: len(values) // n * n], n)

# %% wrong half_precision, edit of the solution: Sent as float16.
# fails: Every rank gets the sum of all arrays
# ~ [come] + comm.sendrecv(parts[gone] => [come] + comm.sendrecv(parts[gone].astype(np.float16)

# %% wrong one_round_more: N rounds of sharing instead of n - 1; the result is right, one message too many.
# fails: Each rank sends 2 (n - 1) messages
# ~ range(2 * (n - 1)): => range(2 * n - 1):

# %% wrong send_first: All send first and then receive, which stands still with large arrays.
# fails: It runs on several ranks without an error
# -         received = comm.sendrecv(parts[current], dest=(me + 1) % n, source=(me - 1) % n)
# +         comm.send(parts[current], dest=(me + 1) % n)
# +         received = comm.recv(source=(me - 1) % n)

# %% wrong through_rank_0: All to rank 0, and back.
# fails: All ranks send in the same direction, to the next rank only
def ring_allreduce(comm, values):
    if comm.rank:
        comm.send(values, dest=0)
        return comm.recv(source=0)
    total = values + sum(comm.recv(source=other) for other in range(1, comm.size))
    for other in range(1, comm.size):
        comm.send(total, dest=other)
    return total

# %% wrong whole_array_round: The whole array goes round.
# fails: All ranks have bitwise equal numbers
def ring_allreduce(comm, values):
    total, moving = values.copy(), values
    for _ in range(comm.size - 1):
        moving = comm.sendrecv(moving, dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
        total = total + moving
    return total
