"""Style: DLPack first, whatever fails falls back to the interface without a copy; interface by a view of ndarray."""

import numpy as np


def adopt(producer):
    try:
        return np.from_dlpack(producer)
    except (AttributeError, BufferError, TypeError, RuntimeError):
        return np.array(producer, copy=False)


def interface_of(memory, offset, shape, dtype):
    part = np.ndarray(shape, dtype, buffer=memory, offset=offset)
    full = part.__array_interface__
    return {name: full[name] for name in ("shape", "typestr", "data", "version")}
