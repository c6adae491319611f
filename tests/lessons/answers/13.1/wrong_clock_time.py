"""Wrong: the start of the gap is a time of the clock, not counted from the beginning of the window."""


def _work(records):
    return sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")


def idle_share(records, threads):
    work = _work(records)
    window = max(stop for _, stop in work) - work[0][0]
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    work = _work(records)
    end = work[0][0]
    best = (0.0, 0.0)
    for start, stop in work:
        if start - end > best[1]:
            best = (end, start - end)
        end = max(end, stop)
    return best
