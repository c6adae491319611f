"""Wrong: a name that comes again is not counted again."""


def statistics(events):
    sizes = {}
    current = peak = number = most = 0
    alive = {}
    for event in events:
        if event[0] == "allocate":
            sizes[event[1]] = event[2]
            alive[event[1]] = event[2]
        else:
            del alive[event[1]]
        current, number = sum(alive.values()), len(alive)
        peak, most = max(peak, current), max(most, number)
    return {
        "current_bytes": current,
        "current_count": number,
        "peak_bytes": peak,
        "peak_count": most,
        "total_bytes": sum(sizes.values()),
        "total_count": len(sizes),
    }
