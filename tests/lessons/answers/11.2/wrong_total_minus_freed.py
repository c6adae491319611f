"""total_* goes down again when something is freed, so it is the same as current_*."""


def statistics(events):
    alive = {}
    pb = pc = 0
    for e in events:
        if e[0] == "allocate":
            alive[e[1]] = e[2]
        else:
            alive.pop(e[1])
        pb = max(pb, sum(alive.values()))
        pc = max(pc, len(alive))
    now, n = sum(alive.values()), len(alive)
    return {
        "current_bytes": now,
        "current_count": n,
        "peak_bytes": pb,
        "peak_count": pc,
        "total_bytes": now,
        "total_count": n,
    }
