import numpy as np

TYPES = [np.dtype(name) for name in ("f8", "f4", "u1", "i8", "i4")]


def send_in_pieces(comm, array, to, most):
    each = most // array.itemsize
    comm.send((TYPES.index(array.dtype), len(array), each), dest=to)
    requests = [comm.Isend(array[start : start + each], dest=to) for start in range(0, len(array), each)]
    for request in requests:
        request.Wait()


def receive_in_pieces(comm, source):
    kind, n, each = comm.recv(source=source)
    array = np.empty(n, TYPES[kind])
    requests = [comm.Irecv(array[start : start + each], source) for start in range(0, n, each)]
    for request in requests:
        request.Wait()
    return array
