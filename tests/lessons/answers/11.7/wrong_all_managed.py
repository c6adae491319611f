"""Takes managed_bytes for what is in memory, although the spilled results are part of it."""


def tiers(workers):
    return {a: (w["metrics"]["managed_bytes"], w["metrics"]["spilled_bytes"]["disk"]) for a, w in workers.items()}
