"""Wrong: zero is the start of the first record of the list, which need not be the first bar in time."""


def bars(records):
    rows, found, zero = {}, [], None
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                zero = part["start"] if zero is None else zero
                row = rows.setdefault((record["worker"], record["thread"]), len(rows))
                found.append((row, part["start"] - zero, part["stop"] - part["start"], record["key"]))
    return found
