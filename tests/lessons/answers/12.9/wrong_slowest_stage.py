def staged_seconds(n_bytes, piece, stages):
    pieces = -(-n_bytes // piece)
    return max(pieces * startup + n_bytes / speed for startup, speed in stages)
