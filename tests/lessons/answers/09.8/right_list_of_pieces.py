import numpy as np


def send_in_pieces(comm, array, to, most):
    each = max(1, most // array.dtype.itemsize)
    pieces = [array[start : start + each] for start in range(0, array.size, each)]
    comm.send([array.dtype, [len(piece) for piece in pieces]], dest=to)
    for piece in pieces:
        comm.Send(np.ascontiguousarray(piece), dest=to)


def receive_in_pieces(comm, source):
    dtype, sizes = comm.recv(source=source)
    found = []
    for size in sizes:
        found.append(np.empty(size, dtype))
        comm.Recv(found[-1], source=source)
    return np.concatenate([np.empty(0, dtype), *found]).astype(dtype)
