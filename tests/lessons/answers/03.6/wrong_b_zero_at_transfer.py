"""Wrong: zero is the start of the first part of any kind, also of a transfer, not of the first bar."""


def bars(records):
    records = list(records)
    zero = min((part["start"] for record in records for part in record["startstops"]), default=0)
    rows, found = {}, []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                row = rows.setdefault((record["worker"], record["thread"]), len(rows))
                found.append((row, part["start"] - zero, part["stop"] - part["start"], record["key"]))
    return found
