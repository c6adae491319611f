"""peak_count is the count at the moment of the most bytes, not the most at any moment."""


def statistics(events):
    s = dict.fromkeys(["current_bytes", "current_count", "peak_bytes", "peak_count", "total_bytes", "total_count"], 0)
    sizes = {}
    for e in events:
        if e[0] == "allocate":
            sizes[e[1]] = e[2]
            s["current_bytes"] += e[2]
            s["current_count"] += 1
            s["total_bytes"] += e[2]
            s["total_count"] += 1
            if s["current_bytes"] > s["peak_bytes"]:
                s["peak_bytes"] = s["current_bytes"]
                s["peak_count"] = s["current_count"]
        else:
            s["current_bytes"] -= sizes.pop(e[1])
            s["current_count"] -= 1
    return s
