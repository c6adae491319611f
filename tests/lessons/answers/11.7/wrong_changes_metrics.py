"""Takes entries out of what it is given."""


def tiers(workers):
    found = {}
    for address, worker in workers.items():
        spilled = worker["metrics"].pop("spilled_bytes")
        found[address] = (worker["metrics"]["managed_bytes"] - spilled["memory"], spilled["disk"])
    return found
