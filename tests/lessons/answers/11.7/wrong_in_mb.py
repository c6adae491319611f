"""In MB instead of bytes."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = ((metrics["managed_bytes"] - spilled["memory"]) / 1e6, spilled["disk"] / 1e6)
    return found
