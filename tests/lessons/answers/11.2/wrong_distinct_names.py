"""total_count counts different names, so a name that comes again is not counted again."""


def statistics(events):
    alive, names, total, pb, pc = {}, set(), 0, 0, 0
    for e in events:
        if e[0] == "allocate":
            alive[e[1]] = e[2]
            names.add(e[1])
            total += e[2]
        else:
            alive.pop(e[1])
        pb = max(pb, sum(alive.values()))
        pc = max(pc, len(alive))
    return {
        "current_bytes": sum(alive.values()),
        "current_count": len(alive),
        "peak_bytes": pb,
        "peak_count": pc,
        "total_bytes": total,
        "total_count": len(names),
    }
