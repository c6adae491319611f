import numpy as np


def send_array(comm, array, to):
    comm.send(array.shape, dest=to)
    comm.Send(np.ascontiguousarray(array), dest=to)


def receive_array(comm, source):
    array = np.empty(comm.recv(source=source))
    comm.Recv(array, source=source)
    return array
