"""Wrong: compares each begin with the end of the part before only; a long task around short ones is overlooked."""


def _work(records):
    return sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")


def idle_share(records, threads):
    work = _work(records)
    window = max(stop for _, stop in work) - work[0][0]
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    work = _work(records)
    best = (0.0, 0.0)
    for (_, stop), (start, _) in zip(work, work[1:], strict=False):
        if start - stop > best[1]:
            best = (stop - work[0][0], start - stop)
    return best
