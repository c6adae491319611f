"""Subtracts inside the dictionary that it was given, so a second call gives something else."""


def tiers(workers):
    result = {}
    for address, w in workers.items():
        m = w["metrics"]
        m["managed_bytes"] -= m["spilled_bytes"]["memory"]
        result[address] = (m["managed_bytes"], m["spilled_bytes"]["disk"])
    return result
