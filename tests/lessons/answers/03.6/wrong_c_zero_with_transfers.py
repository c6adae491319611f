"""Wrong: counts from the first transfer, so that the smallest start is not 0."""


def bars(records):
    zero = min(part["start"] for record in records for part in record["startstops"])
    rows, drawn = {}, []
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        for part in record["startstops"]:
            if part["action"] == "compute":
                drawn.append((row, part["start"] - zero, part["stop"] - part["start"], record["key"]))
    return drawn
