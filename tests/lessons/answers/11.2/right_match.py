"""Pattern matching, and floats as results."""


def statistics(events):
    live, peak_bytes, peak_count, all_sizes = {}, 0.0, 0.0, []
    for event in events:
        match event:
            case ("allocate", name, size):
                live[name] = size
                all_sizes.append(size)
                peak_bytes = max(peak_bytes, float(sum(live.values())))
                peak_count = max(peak_count, float(len(live)))
            case (_, name):
                live.pop(name)
    return {
        "current_bytes": float(sum(live.values())),
        "current_count": float(len(live)),
        "peak_bytes": peak_bytes,
        "peak_count": peak_count,
        "total_bytes": float(sum(all_sizes)),
        "total_count": float(len(all_sizes)),
    }
