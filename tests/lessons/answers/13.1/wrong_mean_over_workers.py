def idle_share(records, threads):
    """The mean of each thread's own idle share, each in its own window."""
    rows = {}
    for r in records:
        rows.setdefault((r["worker"], r["thread"]), []).extend(p for p in r["startstops"] if p["action"] == "compute")
    shares = []
    for parts in rows.values():
        length = max(p["stop"] for p in parts) - min(p["start"] for p in parts)
        shares.append(1 - sum(p["stop"] - p["start"] for p in parts) / length)
    return (sum(shares) + threads - len(shares)) / threads


def longest_gap(records):
    spans = sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")
    zero = latest = spans[0][0]
    best = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > best[1]:
            best = (latest - zero, start - latest)
        latest = max(latest, stop)
    return best
