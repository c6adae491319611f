def idle_share(records, threads):
    work = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    length = max(part["stop"] for part in work) - min(part["start"] for part in work)
    return 1 - sum(part["stop"] - part["start"] for part in work) / (threads * length)


def longest_gap(records):
    """A gap in one row is not a gap of all."""
    rows = {}
    for r in records:
        rows.setdefault((r["worker"], r["thread"]), []).extend(
            (p["start"], p["stop"]) for p in r["startstops"] if p["action"] == "compute"
        )
    zero = min(span[0] for spans in rows.values() for span in spans)
    gaps = []
    for spans in rows.values():
        spans.sort()
        gaps += [(b[0] - a[1], a[1] - zero) for a, b in zip(spans, spans[1:], strict=False)]
    seconds, start = max(gaps, default=(0.0, 0.0))
    return (start, seconds)
