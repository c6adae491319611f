"""Adds in 4 bytes, which have no room for each number of bytes above 16 million."""

import numpy as np


def copies(calls, nbytes):
    on_device, to_host, to_device = True, np.float32(0), np.float32(0)
    for _, fast, result in calls:
        if fast and not on_device:
            to_device += np.float32(nbytes)
        if on_device and not fast:
            to_host += np.float32(nbytes)
        on_device, nbytes = fast, result
    return to_host, to_device
