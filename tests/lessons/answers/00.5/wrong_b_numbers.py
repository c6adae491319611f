"""Wrong: makes numbers 0, 1, 2 … instead of using the names of the devices."""


def visible_to(worker, devices):
    count = len(devices.split(","))
    return ",".join(str((worker + i) % count) for i in range(count))
