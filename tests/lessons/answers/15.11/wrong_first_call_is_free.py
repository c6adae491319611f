def copies(calls, nbytes):
    to_host = to_device = 0
    for (_, before, size), (_, fast, _) in zip(calls, calls[1:], strict=False):
        to_host += size * (before and not fast)
        to_device += size * (fast and not before)
    return to_host, to_device
