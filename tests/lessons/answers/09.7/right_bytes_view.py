"""Right: the header is a tuple, the numbers go as uint8 bytes of a contiguous copy."""

import numpy as np


def send_array(comm, array, to):
    comm.send((array.shape, array.dtype), dest=to)
    comm.Send(np.array(array, order="C", copy=True).reshape(-1).view(np.uint8), to)


def receive_array(comm, source):
    shape, dtype = comm.recv(source=source)
    raw = np.empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, dtype=np.uint8)
    comm.Recv(raw, source)
    return raw.view(dtype).reshape(shape)
