def copies(calls, nbytes):
    on_device, to_host, to_device = True, 0, 0
    for _, fast, result in calls:
        if on_device and not fast:
            to_host += nbytes
        elif fast and not on_device:
            to_device += nbytes
        on_device, nbytes = fast, result
    return to_host, to_device + (0 if on_device else nbytes)
