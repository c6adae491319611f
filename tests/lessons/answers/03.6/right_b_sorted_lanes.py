"""Sorted threads and their place in the list; comprehensions with next."""


def work_of(record):
    return next((part for part in record["startstops"] if part["action"] == "compute"), None)


def bars(records):
    pairs = [(record, work) for record in records if (work := work_of(record)) is not None]
    lanes = sorted({(record["worker"], record["thread"]) for record, _ in pairs})
    first = min((work["start"] for _, work in pairs), default=0)
    return [
        (
            lanes.index((record["worker"], record["thread"])),
            work["start"] - first,
            work["stop"] - work["start"],
            record["key"],
        )
        for record, work in pairs
    ]
