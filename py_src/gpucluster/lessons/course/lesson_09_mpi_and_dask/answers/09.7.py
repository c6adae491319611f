import numpy as np

# %% right bytes_view: The header is a tuple, the numbers go as uint8 bytes of a contiguous copy.
def send_array(comm, array, to):
    comm.send((array.shape, array.dtype), dest=to)
    comm.Send(np.array(array, order="C", copy=True).reshape(-1).view(np.uint8), to)


def receive_array(comm, source):
    shape, dtype = comm.recv(source=source)
    raw = np.empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, dtype=np.uint8)
    comm.Recv(raw, source)
    return raw.view(dtype).reshape(shape)

# %% right non_blocking
def send_array(comm, array, to):
    whole = array if array.flags.c_contiguous else array.copy(order="C")
    requests = [comm.isend((whole.shape, whole.dtype), dest=to), comm.Isend(whole, dest=to)]
    for request in requests:
        request.Wait()


def receive_array(comm, source):
    array = np.empty(*comm.recv(None, source))
    comm.Irecv(array, source).Wait()
    return array

# %% wrong always_float64
# fails: No byte of the array is sent twice, or in a larger type
# ~ np.array(array, order="C", copy=True).reshape(-1).view(np.uint8) => np.ascontiguousarray(array, dtype=float)
# ~ int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, dtype=np.uint8 => shape
# ~ raw.view(dtype).reshape(shape) => raw.astype(dtype)

# %% wrong always_float64_too: Everything is sent as float64; whole numbers, bools and complex ones lose their type.
# fails: Shape and type arrive unchanged
# ~ (array.shape, array.dtype) => array.shape
# ~ order="C", copy=True).reshape(-1).view(np.uint8 => dtype=np.float64, order="C"
def receive_array(comm, source):
    result = np.empty(comm.recv(source=source), dtype=np.float64)
    comm.Recv(result, source)
    return result

# %% wrong any_source
# fails: Shape and type arrive unchanged
# ~ recv(source=source) => recv()
# ~ raw, source => raw

# %% wrong float16, edit of wrong always_float64
# fails: All numbers are received, in the right order
# ~ dtype=float) => dtype=np.float16)
# ~ np.empty(shape) => np.empty(shape, np.float16)

# %% wrong numbers_in_the_description_too
# fails: The numbers are sent as a buffer; only a short description is pickled
# ~ (array.shape, array.dtype) => np.zeros_like(array)
# ~ array(array, order="C", copy=True).reshape(-1).view(np.uint8), to => ascontiguousarray(array), dest=to
def receive_array(comm, source):
    array = np.ascontiguousarray(comm.recv(source=source))
    comm.Recv(array, source=source)
    return array

# %% wrong two_dimensions, edit of wrong always_float64_too: Written for tables; takes rows and columns from the shape, and fails with one or three dimensions.
# fails: It runs on several ranks without an error: ValueError
# -     comm.send(array.shape, dest=to)
# -     comm.Send(np.array(array, dtype=np.float64, order="C"), to)
# +     rows, columns = array.shape
# +     comm.send((rows, columns, array.dtype), dest=to)
# +     comm.Send(np.ascontiguousarray(array), to)
# -     result = np.empty(comm.recv(source=source), dtype=np.float64)
# +     rows, columns, dtype = comm.recv(source=source)
# +     result = np.empty((rows, columns), dtype)
