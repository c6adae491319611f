"""Wrong: rotates to the wrong side; worker 1 must begin with device 1, not with the last."""

from collections import deque


def visible_to(worker, devices):
    names = deque(devices.split(","))
    names.rotate(worker)
    return ",".join(names)
