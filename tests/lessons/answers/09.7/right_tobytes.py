"""Right: a list as header, tobytes for the numbers, received straight into memory of the right type."""

import numpy as np


def send_array(comm, array, to):
    comm.send([array.dtype, *array.shape], dest=to)
    numbers = np.empty(array.nbytes, dtype="u1")
    numbers[:] = bytearray(array.tobytes())
    comm.Send(numbers, dest=to)


def receive_array(comm, source):
    dtype, *shape = comm.recv(source=source)
    result = np.empty(tuple(shape), dtype=dtype)
    comm.Recv(result.reshape(-1).view("u1"), source=source)
    return result
