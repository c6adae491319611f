"""Gives the size in memory of the spilled results as the bytes on disk."""


def tiers(workers):
    result = {}
    for address, w in workers.items():
        m = w["metrics"]
        spilled = m["spilled_bytes"]["memory"]
        result[address] = (m["managed_bytes"] - spilled, spilled)
    return result
