"""itertools.cycle and islice."""

from itertools import cycle, islice


def visible_to(worker, devices):
    names = devices.split(",")
    return ",".join(islice(cycle(names), worker, worker + len(names)))
