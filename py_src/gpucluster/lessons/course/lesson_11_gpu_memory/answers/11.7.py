# %% right comprehension: One comprehension; lists as pairs.
def tiers(workers):
    pairs = {
        address: (worker["metrics"]["managed_bytes"], worker["metrics"]["spilled_bytes"])
        for address, worker in workers.items()
    }
    return {address: [managed - spilled["memory"], spilled["disk"]] for address, (managed, spilled) in pairs.items()}

# %% right pandas: A table of the metrics.
import pandas as pd


def tiers(workers):
    table = pd.json_normalize([one["metrics"] for one in workers.values()])
    memory = table["managed_bytes"] - table["spilled_bytes.memory"]
    pairs = zip(memory, table["spilled_bytes.disk"], strict=True)
    return dict(zip(workers, pairs, strict=True))

# %% wrong all_added_up: One pair for the whole cluster.
# fails: The memory figure excludes what the worker has spilled
def tiers(workers):
    metrics = [worker["metrics"] for worker in workers.values()]
    memory = sum(one["managed_bytes"] - one["spilled_bytes"]["memory"] for one in metrics)
    disk = sum(one["spilled_bytes"]["disk"] for one in metrics)
    return dict.fromkeys(workers, (memory, disk))

# %% wrong all_managed: Takes managed_bytes for what is in memory, although the spilled results are part of it.
# fails: The memory figure excludes what the worker has spilled
def tiers(workers):
    return {a: (w["metrics"]["managed_bytes"], w["metrics"]["spilled_bytes"]["disk"]) for a, w in workers.items()}

# %% wrong by_name, edit of the solution: By the name of the worker, not by its address.
# fails: It has one entry for each worker, by its address
# ~ address, worker in workers.items => worker in workers.values
# ~ found[address] => found[worker["name"]]

# %% wrong disk_unpacked, edit of the solution: What the spilled results took in memory.
# fails: The disk figure is the size of the files
# ~ spilled["disk"] => spilled["memory"]
