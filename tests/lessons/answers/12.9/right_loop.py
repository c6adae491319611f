"""Style: piece by piece with a list of when each stage is free."""


def staged_seconds(n_bytes, piece, stages):
    free = [0] * len(stages)
    left = n_bytes
    while left > 0:
        now, size = 0, min(piece, left)
        left -= size
        for k, (startup, speed) in enumerate(stages):
            free[k] = now = max(now, free[k]) + startup + size / speed
    return max(free, default=0)
