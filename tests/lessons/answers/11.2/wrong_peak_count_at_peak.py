"""The number of allocations at the moment of the most bytes, not the largest number."""


def statistics(events):
    live = {}
    peak = (0, 0)
    total_bytes = total_count = 0
    for action, name, *size in events:
        if action == "allocate":
            live[name] = size[0]
            total_bytes += size[0]
            total_count += 1
        else:
            del live[name]
        peak = max(peak, (sum(live.values()), len(live)))
    return {
        "current_bytes": sum(live.values()),
        "current_count": len(live),
        "peak_bytes": peak[0],
        "peak_count": peak[1],
        "total_bytes": total_bytes,
        "total_count": total_count,
    }
