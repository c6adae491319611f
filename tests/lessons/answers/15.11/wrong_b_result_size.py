"""Wrong: counts the bytes of the result, but it is the object of a call that is copied."""


def copies(calls, nbytes):
    to_host = to_device = 0
    on_device, size = True, nbytes
    for _, fast, result in calls:
        if not fast and on_device:
            to_host += result
        elif fast and not on_device:
            to_device += result
        on_device, size = fast, result
    return to_host, to_device
