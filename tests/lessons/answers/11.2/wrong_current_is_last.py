"""The size of the last request stands for what is alive."""


def statistics(events):
    sizes = [event[2] for event in events if event[0] == "allocate"]
    frees = len(events) - len(sizes)
    return {
        "current_bytes": sizes[-1] if sizes else 0,
        "current_count": len(sizes) - frees,
        "peak_bytes": sum(sizes),
        "peak_count": len(sizes),
        "total_bytes": sum(sizes),
        "total_count": len(sizes),
    }
