"""Merge the intervals first."""


def idle_share(records, threads):
    total, first, last = 0.0, float("inf"), float("-inf")
    for record in records:
        for part in record["startstops"]:
            if part["action"] != "compute":
                continue
            total += part["stop"] - part["start"]
            first, last = min(first, part["start"]), max(last, part["stop"])
    offered = threads * (last - first)
    return (offered - total) / offered


def longest_gap(records):
    merged = []
    for start, stop in sorted(
        (p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute"
    ):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], stop)
        else:
            merged.append([start, stop])
    gaps = [(b[0] - a[1], a[1] - merged[0][0]) for a, b in zip(merged, merged[1:], strict=False)]
    seconds, start = max(gaps, default=(0.0, 0.0))
    return [start, seconds]
