"""One pair for the whole cluster."""


def tiers(workers):
    metrics = [worker["metrics"] for worker in workers.values()]
    memory = sum(one["managed_bytes"] - one["spilled_bytes"]["memory"] for one in metrics)
    disk = sum(one["spilled_bytes"]["disk"] for one in metrics)
    return dict.fromkeys(workers, (memory, disk))
