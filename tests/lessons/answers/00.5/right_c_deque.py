"""Right: a deque is turned to the left."""

from collections import deque


def visible_to(worker, devices):
    ring = deque(devices.split(","))
    ring.rotate(-worker)
    return ",".join(ring)
