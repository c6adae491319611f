"""Wrong: subtracts zero in the records themselves; a function must leave what it is given as it was."""


def bars(records):
    works = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    zero = min((part["start"] for part in works), default=0)
    for part in works:
        part["start"] -= zero
        part["stop"] -= zero
    rows = {}
    return [
        (
            rows.setdefault((record["worker"], record["thread"]), len(rows)),
            part["start"],
            part["stop"] - part["start"],
            record["key"],
        )
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    ]
