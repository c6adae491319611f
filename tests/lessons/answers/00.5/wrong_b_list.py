"""Wrong: returns a Python list, not one string with commas."""


def visible_to(worker, devices):
    names = devices.split(",")
    k = worker % len(names)
    return names[k:] + names[:k]
