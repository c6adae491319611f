def copies(calls, nbytes):
    here, host, device = "device", 0, 0
    for _, fast, result in calls:
        if fast and here == "host":
            device += nbytes
        if not fast and here == "device":
            host += nbytes
        here = "device" if fast else "host"
        nbytes = result
    return host, device
