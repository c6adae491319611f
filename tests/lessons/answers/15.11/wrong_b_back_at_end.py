"""Wrong: copies what is left at the end back to the device, which is not done."""


def copies(calls, nbytes):
    to_host = to_device = 0
    on_device, size = True, nbytes
    for _, fast, result in calls:
        if not fast and on_device:
            to_host += size
        elif fast and not on_device:
            to_device += size
        on_device, size = fast, result
    return to_host, to_device + (0 if on_device else size)
