"""A function for one worker, and floats."""


def pair(worker):
    metrics = worker["metrics"]
    return float(metrics["managed_bytes"]) - metrics["spilled_bytes"].get("memory", 0), float(
        metrics["spilled_bytes"]["disk"]
    )


def tiers(workers):
    return dict(zip(workers.keys(), map(pair, workers.values()), strict=True))
