"""Rounds each request up to a multiple of 256 bytes, as the pool does."""


def statistics(events):
    live = {}
    peak_bytes = peak_count = total_bytes = total_count = 0
    for action, name, *size in events:
        if action == "allocate":
            live[name] = -(-size[0] // 256) * 256
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
