"""Wrong: takes the records for sorted by time."""


def _work(records):
    return [(p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute"]


def idle_share(records, threads):
    work = _work(records)
    window = work[-1][1] - work[0][0]
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    work = _work(records)
    began = end = work[0][0]
    best = (0.0, 0.0)
    for start, stop in work:
        if start - end > best[1]:
            best = (end - began, start - end)
        end = max(end, stop)
    return best
