"""A dictionary gives each thread the next free row; plain loops."""


def bars(records):
    rows = {}
    found = []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                row = rows.setdefault((record["worker"], record["thread"]), len(rows))
                found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
    if not found:
        return []
    zero = min(start for _, start, _, _ in found)
    return [(row, start - zero, seconds, name) for row, start, seconds, name in found]
