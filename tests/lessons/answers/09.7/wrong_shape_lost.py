import numpy as np


def send_array(comm, array, to):
    comm.send((array.size, array.dtype), dest=to)
    comm.Send(np.ascontiguousarray(array), dest=to)


def receive_array(comm, source):
    size, dtype = comm.recv(source=source)
    array = np.empty(size, dtype)
    comm.Recv(array, source=source)
    return array
