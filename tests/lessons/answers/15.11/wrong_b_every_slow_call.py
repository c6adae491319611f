"""Wrong: copies to the host before each slow call, also where the object is there already."""


def copies(calls, nbytes):
    to_host = to_device = 0
    on_device, size = True, nbytes
    for _, fast, result in calls:
        if not fast:
            to_host += size
        elif fast and not on_device:
            to_device += size
        on_device, size = fast, result
    return to_host, to_device
