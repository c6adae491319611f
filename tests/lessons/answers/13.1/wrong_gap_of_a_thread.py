"""Wrong: the longest gap of one thread, in which others may have computed."""

from collections import defaultdict


def _work(records):
    return sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")


def idle_share(records, threads):
    work = _work(records)
    window = max(stop for _, stop in work) - work[0][0]
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    began = _work(records)[0][0]
    rows = defaultdict(list)
    for record in records:
        rows[record["worker"], record["thread"]].append(record)
    best = (0.0, 0.0)
    for own in rows.values():
        end = None
        for start, stop in _work(own):
            if end is not None and start - end > best[1]:
                best = (end - began, start - end)
            end = stop
    return best
