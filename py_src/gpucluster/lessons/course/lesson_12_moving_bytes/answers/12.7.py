import numpy as np

# %% right try
def adopt(producer):
    try:
        return np.asarray(producer.__array_interface__ and producer)
    except AttributeError:
        return np.from_dlpack(producer)


def interface_of(memory, offset, shape, dtype):
    address, read_only = memory.__array_interface__["data"]
    return {"shape": shape, "typestr": dtype.str, "data": (address + offset, read_only), "version": 3, "strides": None}

# %% right view
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
# ~ and producer) => and producer, dtype=float)

# %% wrong byte_order: Writes the type always as little-endian.
# fails: The typestr says type, size and byte order
# ~ dtype.str => f"<{dtype.kind}{dtype.itemsize}"

# %% wrong contiguous
# fails: The producer's writes are visible in the array
# ~ np.asarray(producer.__array_interface__ => np.ascontiguousarray(producer.__array_interface__

# %% wrong copies_dlpack
# fails: The producer's writes are visible in the array
# ~ from_dlpack(producer) => from_dlpack(producer).copy()

# %% wrong dlpack_only: adopt knows DLPack only; a producer with only the interface fails.
# fails: It runs without an error: AttributeError
# ~ np.asarray(producer.__array_interface__ and producer) => np.from_dlpack(producer)

# %% wrong flag: The flag says "may be written to" instead of "read-only".
# fails: Only memory that must not be written to is read-only
# ~ offset, read_only) => offset, not read_only)

# %% wrong flat
# fails: The shape is a tuple, as given
# ~ "shape": shape => "shape": (int(np.prod(shape)),)

# %% wrong offset_ignored
# fails: The address is that of the first number
# ~ address + offset => address
