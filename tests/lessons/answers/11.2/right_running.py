"""Running numbers, nothing is added up twice."""


def statistics(events):
    found = dict.fromkeys(
        ["current_bytes", "current_count", "peak_bytes", "peak_count", "total_bytes", "total_count"], 0
    )
    sizes = {}
    for event in events:
        name = event[1]
        if event[0] == "allocate":
            sizes[name] = event[2]
            found["total_bytes"] += event[2]
            found["total_count"] += 1
            found["current_bytes"] += event[2]
            found["current_count"] += 1
        else:
            found["current_bytes"] -= sizes.pop(name)
            found["current_count"] -= 1
        found["peak_bytes"] = max(found["peak_bytes"], found["current_bytes"])
        found["peak_count"] = max(found["peak_count"], found["current_count"])
    return found
