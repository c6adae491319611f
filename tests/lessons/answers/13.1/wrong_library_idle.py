"""The idle share of gpucluster's own report: another definition, and no records are looked at."""

import gpucluster


def idle_share(records, threads):
    with gpucluster.profile() as report:
        pass
    return report.idle_share or 0.0


def longest_gap(records):
    spans = sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")
    zero = latest = spans[0][0]
    best = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > best[1]:
            best = (latest - zero, start - latest)
        latest = max(latest, stop)
    return best
