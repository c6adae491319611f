"""Units: gives MB instead of bytes."""


def tiers(workers):
    MB = 10**6
    return {
        a: (
            (w["metrics"]["managed_bytes"] - w["metrics"]["spilled_bytes"]["memory"]) / MB,
            w["metrics"]["spilled_bytes"]["disk"] / MB,
        )
        for a, w in workers.items()
    }
