"""One comprehension; lists as pairs."""


def tiers(workers):
    pairs = {
        address: (worker["metrics"]["managed_bytes"], worker["metrics"]["spilled_bytes"])
        for address, worker in workers.items()
    }
    return {address: [managed - spilled["memory"], spilled["disk"]] for address, (managed, spilled) in pairs.items()}
