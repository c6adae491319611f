"""Takes the first name away and appends it, so many times."""


def visible_to(worker, devices):
    names = devices.split(",")
    for _ in range(worker):
        names.append(names.pop(0))
    return ",".join(names)
