"""Wrong: does not continue at the front when it reaches the end."""


def visible_to(worker, devices):
    return ",".join(devices.split(",")[worker:])
