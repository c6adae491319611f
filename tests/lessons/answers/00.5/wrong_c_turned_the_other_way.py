"""Wrong: the list is turned to the right, so worker 1 begins with the last device."""

from collections import deque


def visible_to(worker, devices):
    ring = deque(devices.split(","))
    ring.rotate(worker)
    return ",".join(ring)
