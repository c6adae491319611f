"""Pays the startup once per stage instead of for each piece."""


def staged_seconds(n_bytes, piece, stages):
    free = [a for a, _ in stages]
    left, now = n_bytes, 0.0
    while left > 0:
        size = min(piece, left)
        left -= size
        now = 0.0
        for k, (_, v) in enumerate(stages):
            now = free[k] = max(now, free[k]) + size / v
    return now
