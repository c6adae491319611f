import numpy as np


def send_in_pieces(comm, array, to, most):
    each = most // array.itemsize
    starts = range(0, len(array), each)
    comm.send((len(starts), array.dtype), dest=to)
    for start in starts:
        piece = array[start : start + each]
        comm.send(len(piece), dest=to)
        comm.Send(piece, dest=to)


def receive_in_pieces(comm, source):
    n, dtype = comm.recv(source=source)
    found = [np.empty(0, dtype)]
    for _ in range(n):
        found.append(np.empty(comm.recv(source=source), dtype))
        comm.Recv(found[-1], source=source)
    return np.concatenate(found)
