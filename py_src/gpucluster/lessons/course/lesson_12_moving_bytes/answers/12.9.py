# %% right closed: Style: closed form for the equal pieces, then the last piece stage by stage.
def staged_seconds(n_bytes, piece, stages):
    full, rest = divmod(n_bytes, piece)
    through = slowest = last = 0.0
    for startup, speed in stages:
        t = startup + piece / speed
        through += t
        slowest = max(slowest, t)
        free = through + (full - 1) * slowest if full else 0.0
        last = max(last, free) + startup + rest / speed if rest else free
    return last

# %% right loop: Style: piece by piece with a list of when each stage is free.
def staged_seconds(n_bytes, piece, stages):
    free = [0] * len(stages)
    left = n_bytes
    while left > 0:
        now, size = 0, min(piece, left)
        left -= size
        for k, (startup, speed) in enumerate(stages):
            free[k] = now = max(now, free[k]) + startup + size / speed
    return max(free, default=0)

# %% right numpy
import numpy as np


def staged_seconds(n_bytes, piece, stages):
    starts = np.arange(0, n_bytes, piece)
    sizes = np.minimum(piece, n_bytes - starts)
    arrived = np.zeros(len(sizes))
    for startup, speed in stages:
        cost = startup + sizes / speed
        total = np.cumsum(cost)
        arrived = total + np.maximum.accumulate(arrived - (total - cost))
    return arrived[-1]

# %% wrong does_not_wait_for_the_piece, edit of the solution
# fails: All in one piece, the stages take turns
# ~ arrived = free[number] = max(arrived, free[number]) => free[number] = free[number]
# -         arrived = 0.0

# %% wrong in_turns, edit of the solution
# fails: In pieces, the stages overlap
# ~ max(arrived, free[number]) + startup => max(arrived, max(free)) + startup

# %% wrong stage_never_busy, edit of the solution
# fails: In pieces, the stages overlap
# ~ max(arrived, free[number]) => arrived
