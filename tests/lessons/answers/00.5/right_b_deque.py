"""A deque that is rotated to the left."""

from collections import deque


def visible_to(worker, devices):
    names = deque(devices.split(","))
    names.rotate(-worker)
    return ",".join(names)
