import numpy as np


def send_array(comm, array, to):
    comm.send((array.shape, array.dtype), dest=to)
    comm.Send(np.ascontiguousarray(array), dest=to)


def receive_array(comm, source):
    shape, dtype = comm.recv()
    array = np.empty(shape, dtype)
    comm.Recv(array)
    return array
