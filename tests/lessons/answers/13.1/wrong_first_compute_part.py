"""Wrong: only the first compute part of each record counts."""


def _spans(records):
    return sorted(
        next((part["start"], part["stop"]) for part in record["startstops"] if part["action"] == "compute")
        for record in records
    )


def idle_share(records, threads):
    spans = _spans(records)
    length = max(stop for _, stop in spans) - spans[0][0]
    return 1 - sum(stop - start for start, stop in spans) / (length * threads)


def longest_gap(records):
    spans = _spans(records)
    best, end = (0.0, 0.0), spans[0][1]
    for start, stop in spans:
        if start - end > best[1]:
            best = (end - spans[0][0], start - end)
        end = max(end, stop)
    return best
