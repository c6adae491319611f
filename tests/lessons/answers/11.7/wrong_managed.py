"""All results, as if none were spilled."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (metrics["managed_bytes"], spilled["disk"])
    return found
