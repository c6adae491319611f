def bars(records):
    threads = sorted({(r["worker"], r["thread"]) for r in records})
    for r in records:
        r["startstops"][:] = [p for p in r["startstops"] if p["action"] == "compute"]
    zero = min(p["start"] for r in records for p in r["startstops"])
    return [
        (threads.index((r["worker"], r["thread"])), p["start"] - zero, p["stop"] - p["start"], r["key"])
        for r in records
        for p in r["startstops"]
    ]
