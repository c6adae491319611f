"""Wrong: transfers (all actions) count as work."""


def _work(records):
    return sorted((part["start"], part["stop"]) for record in records for part in record["startstops"])


def idle_share(records, threads):
    work = _work(records)
    window = max(stop for _, stop in work) - work[0][0]
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
