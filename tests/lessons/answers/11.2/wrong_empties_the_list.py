"""Takes the events out of the list that it is given."""


def statistics(events):
    live, peak_bytes, peak_count, total_bytes, total_count = {}, 0, 0, 0, 0
    while events:
        action, name, *size = events.pop(0)
        if action == "allocate":
            live[name] = size[0]
            total_bytes += size[0]
            total_count += 1
        else:
            del live[name]
        peak_bytes = max(peak_bytes, sum(live.values()))
        peak_count = max(peak_count, len(live))
    return {
        "current_bytes": sum(live.values()),
        "current_count": len(live),
        "peak_bytes": peak_bytes,
        "peak_count": peak_count,
        "total_bytes": total_bytes,
        "total_count": total_count,
    }
