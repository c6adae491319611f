"""Wrong: the peak is the largest single allocation."""


def statistics(events):
    alive, total, count, most, peak = {}, 0, 0, 0, 0
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            total, count = total + event[2], count + 1
            most, peak = max(most, len(alive)), max(peak, event[2])
        else:
            del alive[event[1]]
    return {
        "current_bytes": sum(alive.values()),
        "current_count": len(alive),
        "peak_bytes": peak,
        "peak_count": most,
        "total_bytes": total,
        "total_count": count,
    }
