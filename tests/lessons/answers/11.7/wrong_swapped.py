"""The other way round."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (spilled["disk"], metrics["managed_bytes"] - spilled["memory"])
    return found
