"""Answers to exercise 12.7."""

# %% right try
import numpy as np


def adopt(producer):
    try:
        return np.asarray(producer.__array_interface__ and producer)
    except AttributeError:
        return np.from_dlpack(producer)


def interface_of(memory, offset, shape, dtype):
    address, read_only = memory.__array_interface__["data"]
    return {"shape": shape, "typestr": dtype.str, "data": (address + offset, read_only), "version": 3, "strides": None}

# %% right view
import numpy as np


def adopt(producer):
    if not hasattr(producer, "__array_interface__"):
        return np.from_dlpack(producer)
    return np.array(producer, copy=False)


def interface_of(memory, offset, shape, dtype):
    size = dtype.itemsize * int(np.prod(shape))
    part = memory[offset : offset + size].view(dtype).reshape(shape)
    return part.__array_interface__

# %% wrong as_floats
# fails: Shape and type are those of the producer
# edit of the solution
# ~ asarray(producer) => asarray(producer, dtype=float)
# - def adopt(producer):
# + import numpy as np
# +
# +
# + def adopt(producer):

# %% wrong byte_order: Writes the type always as little-endian.
# fails: The typestr says type, size and byte order
# edit of wrong as_floats
# ~ dtype.str => f"<{dtype.kind}{dtype.itemsize}"
# -     """Return a NumPy array of the producer's memory."""
# -     if hasattr(producer, "__dlpack__"):
# -         return np.from_dlpack(producer)
# -     return np.asarray(producer, dtype=float)
# +     return np.from_dlpack(producer) if hasattr(producer, "__dlpack__") else np.asarray(producer)
# -     """Return the array interface of a part of memory."""

# %% wrong contiguous
# fails: What the producer writes is seen in the array
# edit of wrong as_floats
# ~ np.asarray(producer, dtype=float) => np.ascontiguousarray(producer)
# -     """Return a NumPy array of the producer's memory."""
#
# -     """Return the array interface of a part of memory."""

# %% wrong copies_dlpack
# fails: What the producer writes is seen in the array
# edit of wrong contiguous
# ~ from_dlpack(producer) => from_dlpack(producer).copy()
# ~ ascontiguousarray => asarray

# %% wrong dlpack_only: adopt knows DLPack only; a producer with only the interface fails.
# fails: It runs without an error: AttributeError
# edit of wrong byte_order
# ~ from_dlpack(producer) if hasattr(producer, "__dlpack__") else np.asarray(producer) => from_dlpack(producer)
# ~ f"<{dtype.kind}{dtype.itemsize}" => dtype.str

# %% wrong flag: The flag says "may be written to" instead of "read-only".
# fails: Memory that must not be written to is offered as read-only, other memory is not
# edit of wrong byte_order
# ~ f"<{dtype.kind}{dtype.itemsize}" => dtype.str
# ~ offset, not memory.flags => offset, memory.flags

# %% wrong flat
# fails: The shape is a tuple, as given
# edit of wrong contiguous
# ~ ascontiguousarray => asarray
# ~ "shape": shape, => "shape": (int(np.prod(shape)),),

# %% wrong offset_ignored
# fails: The address is that of the first number
# edit of wrong contiguous
# ~ ascontiguousarray => asarray
# ~ data + offset => data
