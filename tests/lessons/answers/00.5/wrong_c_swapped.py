"""Wrong: swaps the first device with the worker's own, instead of going on from there."""


def visible_to(worker, devices):
    names = devices.split(",")
    names[0], names[worker] = names[worker], names[0]
    return ",".join(names)
