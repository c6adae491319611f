def idle_share(records, threads):
    work = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    length = max(part["stop"] for part in work) - min(part["start"] for part in work)
    return 1 - sum(part["stop"] - part["start"] for part in work) / (threads * length)


def longest_gap(records):
    """The task just before need not be the one that ended last."""
    spans = sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")
    gaps = [(b[0] - a[1], a[1] - spans[0][0]) for a, b in zip(spans, spans[1:], strict=False)]
    seconds, start = max(gaps, default=(0.0, 0.0))
    return (start, seconds) if seconds > 0 else (0.0, 0.0)
