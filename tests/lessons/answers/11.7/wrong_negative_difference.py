"""Subtracts in the wrong order."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (spilled["memory"] - metrics["managed_bytes"], spilled["disk"])
    return found
