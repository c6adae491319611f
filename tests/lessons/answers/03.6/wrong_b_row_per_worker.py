"""Wrong: one row for each worker, although each thread has a row of its own."""


def bars(records):
    rows, found = {}, []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                row = rows.setdefault(record["worker"], len(rows))
                found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
    zero = min((bar[1] for bar in found), default=0)
    return [(row, start - zero, seconds, name) for row, start, seconds, name in found]
