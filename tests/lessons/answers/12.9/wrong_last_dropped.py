"""Forgets the smaller piece at the end."""


def staged_seconds(n_bytes, piece, stages):
    free = [0.0] * len(stages)
    for _ in range(n_bytes // piece):
        now = 0.0
        for k, (a, v) in enumerate(stages):
            now = free[k] = max(now, free[k]) + a + piece / v
    return free[-1]
