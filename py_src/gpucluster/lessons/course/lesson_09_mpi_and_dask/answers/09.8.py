import numpy as np

# %% right bytes: Cuts bytes, in the middle of a number if need be: pieces of exactly `most` bytes, so never more pieces than needed.
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

# %% right even_pieces
def cut(array, most):
    n_pieces = max(1, -(-len(array) // (most // array.itemsize)))
    return np.array_split(array, n_pieces)


def send_in_pieces(comm, array, to, most):
    comm.send((np.empty(0, array.dtype), len(array), most), dest=to)
    for piece in cut(array, most):
        comm.Send(piece, dest=to)


def receive_in_pieces(comm, source):
    empty, n, most = comm.recv(source=source)
    array = np.empty(n, empty.dtype)
    for piece in cut(array, most):
        comm.Recv(piece, source=source)
    return array

# %% wrong a_description_per_piece
# fails: The numbers are sent as buffers; at most one short description is pickled
# -         comm.Send(raw[begin : begin + most], dest=to)
# +         comm.send(begin, dest=to)
# +         comm.Send(raw[begin : begin + most], dest=to)
# -         comm.Recv(raw[begin : begin + most], source=source)
# +         comm.recv(source=source)
# +         comm.Recv(raw[begin : begin + most], source=source)

# %% wrong array_cleared, edit of the solution
# fails: The sent array is unchanged
# -         comm.Send(array[start : start + each], dest=to)
# +         comm.Send(array[start : start + each], dest=to)
# +         array[start : start + each] = 0

# %% wrong eight_bytes_each, edit of the solution
# fails: There are as few pieces as possible
# ~ most // array.itemsize => max(1, most // 8)

# %% wrong order_reversed
# fails: All numbers are received, in the right order
# ~ raw = array.view => raw = array[::-1].copy().view

# %% wrong pieces_of_equal_length, edit of the solution: The row is cut into as few pieces as needed, of equal length, which may be longer than allowed.
# fails: No piece is longer than most
# ~ most // array.itemsize => _length(array, most)
def _length(array, most):
    pieces = -(-array.nbytes // most) or 1
    return -(-len(array) // pieces) or 1

# %% wrong rest_lost, edit of the solution
# fails: Shape and type arrive unchanged
# ~ comm.send((len(array) => comm.send((len(array) // each * each
# ~ range(0, len(array), each) => range(0, len(array) // each * each, each)
