"""Right: generators; a sweep over sorted begins with the latest end so far."""


def _work(records):
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                yield part["start"], part["stop"]


def idle_share(records, threads):
    work = list(_work(records))
    window = max(stop for _, stop in work) - min(start for start, _ in work)
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    work = sorted(_work(records))
    began = end = work[0][0] if work else 0.0
    best = (0.0, 0.0)
    for start, stop in work:
        if start - end > best[1]:
            best = (end - began, start - end)
        end = max(end, stop)
    return best
