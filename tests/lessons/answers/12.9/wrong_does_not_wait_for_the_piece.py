def staged_seconds(n_bytes, piece, stages):
    free = [0.0] * len(stages)
    for begin in range(0, n_bytes, piece):
        size = min(piece, n_bytes - begin)
        for number, (startup, speed) in enumerate(stages):
            free[number] = free[number] + startup + size / speed
    return free[-1]
