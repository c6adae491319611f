"""Fails for an empty list: max() and [-1] of nothing."""


def statistics(events):
    sizes, bytes_, counts = {}, [], []
    for e in events:
        if e[0] == "allocate":
            sizes[e[1]] = e[2]
        else:
            sizes.pop(e[1])
        bytes_.append(sum(sizes.values()))
        counts.append(len(sizes))
    made = [e[2] for e in events if e[0] == "allocate"]
    return {
        "current_bytes": bytes_[-1],
        "current_count": counts[-1],
        "peak_bytes": max(bytes_),
        "peak_count": max(counts),
        "total_bytes": sum(made),
        "total_count": len(made),
    }
