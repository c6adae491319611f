"""Wrong: the worker sees one device only; all workers get all devices."""


def visible_to(worker, devices):
    names = devices.split(",")
    return names[worker % len(names)]
