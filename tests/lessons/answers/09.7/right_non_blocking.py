import numpy as np


def send_array(comm, array, to):
    whole = array if array.flags.c_contiguous else array.copy(order="C")
    requests = [comm.isend((whole.shape, whole.dtype), dest=to), comm.Isend(whole, dest=to)]
    for request in requests:
        request.Wait()


def receive_array(comm, source):
    array = np.empty(*comm.recv(None, source))
    comm.Irecv(array, source).Wait()
    return array
