"""Wrong: rows by the thread's number alone; two workers may have the same."""


def bars(records):
    threads = sorted({record["thread"] for record in records})
    works = [
        (threads.index(record["thread"]), part["start"], part["stop"], record["key"])
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    ]
    zero = min(work[1] for work in works)
    return [(row, start - zero, stop - start, name) for row, start, stop, name in works]
