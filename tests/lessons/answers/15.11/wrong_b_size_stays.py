"""Wrong: each copy has the bytes of the first object, not those of the object at hand."""


def copies(calls, nbytes):
    to_host = to_device = 0
    on_device, size = True, nbytes
    for _, fast, result in calls:
        if not fast and on_device:
            to_host += size
        elif fast and not on_device:
            to_device += size
        on_device = fast
    return to_host, to_device
