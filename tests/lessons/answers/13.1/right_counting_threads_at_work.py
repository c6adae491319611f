"""Walk through all beginnings and ends, and count who is at work."""


def moments(records):
    found = []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                found += [(part["start"], 1), (part["stop"], -1)]
    # at equal times a beginning comes first, so that no gap of length 0 opens
    return sorted(found, key=lambda moment: (moment[0], -moment[1]))


def idle_share(records, threads):
    steps = moments(records)
    busy = at_work = 0
    for (now, change), (later, _) in zip(steps, steps[1:], strict=False):
        at_work += change
        busy += at_work * (later - now)
    return 1 - busy / threads / (steps[-1][0] - steps[0][0])


def longest_gap(records):
    steps = moments(records)
    at_work, longest = 0, (0.0, 0.0)
    for (now, change), (later, _) in zip(steps, steps[1:], strict=False):
        at_work += change
        if at_work == 0 and later - now > longest[1]:
            longest = (now - steps[0][0], later - now)
    return longest
