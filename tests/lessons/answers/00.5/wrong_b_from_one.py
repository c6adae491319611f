"""Wrong: counts the workers from 1, but the first worker has the number 0."""


def visible_to(worker, devices):
    names = devices.split(",")
    k = (worker - 1) % len(names)
    return ",".join(names[k:] + names[:k])
