"""adopt makes a copy (np.array)."""

import numpy as np


def adopt(producer):
    if hasattr(producer, "__dlpack__"):
        return np.array(np.from_dlpack(producer))
    return np.array(producer)


def interface_of(memory, offset, shape, dtype):
    return {
        "shape": shape,
        "typestr": dtype.str,
        "data": (memory.ctypes.data + offset, not memory.flags.writeable),
        "version": 3,
    }
