import numpy as np


def send_array(comm, array, to):
    comm.send((array.shape, array.dtype), dest=to)
    comm.Send(array if array.flags.c_contiguous or array.flags.f_contiguous else array.copy(), dest=to)


def receive_array(comm, source):
    shape, dtype = comm.recv(source=source)
    array = np.empty(shape, dtype)
    comm.Recv(array, source=source)
    return array
