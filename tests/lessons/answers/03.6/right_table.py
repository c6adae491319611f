"""Rows numbered as they turn up."""


def bars(records):
    rows, found = {}, []
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        (work,) = [part for part in record["startstops"] if part["action"] == "compute"]
        found.append([row, work["start"], work["stop"] - work["start"], record["key"]])
    first = min(start for _, start, _, _ in found)
    return [(row, start - first, seconds, name) for row, start, seconds, name in found]
