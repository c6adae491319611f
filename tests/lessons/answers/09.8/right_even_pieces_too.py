"""Right: as few pieces as needed, all of about the same size (np.array_split); the sizes come first
as a list of cuts.
"""

import numpy as np


def send_in_pieces(comm, array, to, most):
    count = -(-array.size // (most // array.dtype.itemsize))
    comm.send((count, array.size, array.dtype), to)
    if count:
        for piece in np.array_split(array, count):
            comm.Send(piece, to)


def receive_in_pieces(comm, source):
    count, size, dtype = comm.recv(source=source)
    row = np.zeros(size, dtype)
    for piece in np.array_split(row, count) if count else ():
        comm.Recv(piece, source)
    return row
