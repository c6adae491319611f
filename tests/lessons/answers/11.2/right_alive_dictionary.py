"""Style: a plain loop with one dictionary of what is alive, everything summed anew at each step."""


def statistics(events):
    alive = {}
    made = []
    peak_bytes = peak_count = 0
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            made.append(event[2])
        else:
            del alive[event[1]]
        peak_bytes = max(peak_bytes, sum(alive.values()))
        peak_count = max(peak_count, len(alive))
    return {
        "total_count": len(made),
        "total_bytes": sum(made),
        "peak_count": peak_count,
        "peak_bytes": peak_bytes,
        "current_count": len(alive),
        "current_bytes": sum(alive.values()),
    }
