"""What the spilled results took in memory."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (metrics["managed_bytes"] - spilled["memory"], spilled["memory"])
    return found
