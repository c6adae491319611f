"""Wrong: each slow call copies its object to the host and its result back, but the result lies where the call was done."""


def copies(calls, nbytes):
    to_host = to_device = 0
    size = nbytes
    for _, fast, result in calls:
        if not fast:
            to_host += size
            to_device += result
        size = result
    return to_host, to_device
