import numpy as np


def send_in_pieces(comm, array, to, most):
    each = most // array.itemsize
    pieces = [array[start : start + each] for start in range(0, len(array), each)]
    comm.send(len(pieces), dest=to)
    for piece in pieces:
        comm.send(piece, dest=to)


def receive_in_pieces(comm, source):
    found = [comm.recv(source=source) for _ in range(comm.recv(source=source))]
    return np.concatenate(found) if found else np.empty(0)
