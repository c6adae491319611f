"""Wrong: rounds each allocation up to 256 bytes, as a pool does."""


def statistics(events):
    alive, total, count, most, peak = {}, 0, 0, 0, 0
    for event in events:
        if event[0] == "allocate":
            size = -(-event[2] // 256) * 256
            alive[event[1]] = size
            total, count = total + size, count + 1
            peak, most = max(peak, sum(alive.values())), max(most, len(alive))
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
