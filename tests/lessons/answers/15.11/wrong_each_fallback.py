def copies(calls, nbytes):
    to_host = 0
    for _, fast, result in calls:
        to_host += 0 if fast else nbytes
        nbytes = result
    return to_host, to_host
