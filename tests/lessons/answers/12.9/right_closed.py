"""Style: closed form for the equal pieces, then the last piece stage by stage."""


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
