import numpy as np


def adopt(producer):
    try:
        return np.asarray(producer.__array_interface__ and producer)
    except AttributeError:
        return np.from_dlpack(producer)


def interface_of(memory, offset, shape, dtype):
    address, read_only = memory.__array_interface__["data"]
    return {"shape": shape, "typestr": dtype.str, "data": (address + offset, read_only), "version": 3, "strides": None}
