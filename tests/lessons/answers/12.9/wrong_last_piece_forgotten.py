def staged_seconds(n_bytes, piece, stages):
    free = [0.0] * len(stages)
    for begin in range(0, n_bytes - n_bytes % piece or 1, piece):
        size = min(piece, n_bytes - begin)
        arrived = 0.0
        for number, (startup, speed) in enumerate(stages):
            arrived = free[number] = max(arrived, free[number]) + startup + size / speed
    return free[-1]
