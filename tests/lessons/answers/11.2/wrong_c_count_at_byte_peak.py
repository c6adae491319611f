"""Wrong: the peak of the count is that of the moment with the most bytes."""


def statistics(events):
    alive, total, count, most, peak = {}, 0, 0, 0, 0
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            total, count = total + event[2], count + 1
            if sum(alive.values()) > peak:
                peak, most = sum(alive.values()), len(alive)
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
