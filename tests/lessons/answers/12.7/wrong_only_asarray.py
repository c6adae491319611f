import numpy as np


def adopt(producer):
    return np.asarray(producer)


def interface_of(memory, offset, shape, dtype):
    return {
        "shape": shape,
        "typestr": dtype.str,
        "data": (memory.ctypes.data + offset, not memory.flags.writeable),
        "version": 3,
    }
