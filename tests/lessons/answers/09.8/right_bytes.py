"""Right: cuts bytes, in the middle of a number if need be: pieces of exactly `most` bytes, so never
more pieces than needed.
"""

import numpy as np


def send_in_pieces(comm, array, to, most):
    raw = array.view(np.uint8)
    comm.send((array.dtype, raw.size, most), dest=to)
    for begin in range(0, raw.size, most):
        comm.Send(raw[begin : begin + most], dest=to)


def receive_in_pieces(comm, source):
    dtype, size, most = comm.recv(source=source)
    raw = np.empty(size, dtype=np.uint8)
    for begin in range(0, size, most):
        comm.Recv(raw[begin : begin + most], source=source)
    return raw.view(dtype)
