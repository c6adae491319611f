"""Right: rows by the sorted threads, a generator for each record's work."""


def bars(records):
    threads = sorted({(record["worker"], record["thread"]) for record in records})
    works = [
        (threads.index((record["worker"], record["thread"])), part["start"], part["stop"], record["key"])
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    ]
    zero = min((work[1] for work in works), default=0)
    return [(row, start - zero, stop - start, name) for row, start, stop, name in works]
