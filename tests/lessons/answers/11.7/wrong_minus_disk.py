"""Subtracts the size of the files."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (metrics["managed_bytes"] - spilled["disk"], spilled["disk"])
    return found
