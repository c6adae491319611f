"""Wrong: its own device first, then all others in their first order."""


def visible_to(worker, devices):
    names = devices.split(",")
    return ",".join([names[worker], *names[:worker], *names[worker + 1 :]])
