def idle_share(records, threads):
    work = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    length = max(part["stop"] for part in work) - min(part["start"] for part in work)
    return 1 - sum(part["stop"] - part["start"] for part in work) / (threads * length)


def longest_gap(records):
    spans = sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")
    zero = latest = spans[0][0]
    best = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > best[1]:
            best = (start - zero, start - latest)
        latest = max(latest, stop)
    return best
