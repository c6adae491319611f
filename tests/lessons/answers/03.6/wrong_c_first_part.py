"""Wrong: takes the first part as the work; before it there may be a transfer."""


def bars(records):
    rows, drawn = {}, []
    zero = min(record["startstops"][0]["start"] for record in records)
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        part = record["startstops"][0]
        drawn.append((row, part["start"] - zero, part["stop"] - part["start"], record["key"]))
    return drawn
