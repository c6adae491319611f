"""Always says that the memory may be written to."""

import numpy as np


def adopt(producer):
    return np.from_dlpack(producer) if hasattr(producer, "__dlpack__") else np.asarray(producer)


def interface_of(memory, offset, shape, dtype):
    return {"shape": shape, "typestr": dtype.str, "data": (memory.ctypes.data + offset, False), "version": 3}
