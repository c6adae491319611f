"""Wrong: counts from the first record of the list, which need not be the first in time."""


def bars(records):
    rows, drawn, zero = {}, [], None
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        for part in record["startstops"]:
            if part["action"] == "compute":
                zero = part["start"] if zero is None else zero
                drawn.append((row, part["start"] - zero, part["stop"] - part["start"], record["key"]))
    return drawn
