"""Wrong: brings the own device to the front, but the others do not follow in a rotated order."""


def visible_to(worker, devices):
    names = devices.split(",")
    own = names.pop(worker % len(names))
    return ",".join([own] + names)
