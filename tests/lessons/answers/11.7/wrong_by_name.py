"""By the name of the worker, not by its address."""


def tiers(workers):
    found = {}
    for worker in workers.values():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[worker["name"]] = (metrics["managed_bytes"] - spilled["memory"], spilled["disk"])
    return found
