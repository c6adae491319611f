"""Right: polls has_what in a while loop, compares with what was held before."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    n_workers = len(addresses(client))
    before = {key for keys in client.has_what().values() for key in keys}
    future = client.compute(lazy)
    victim = None
    while victim is None and not future.done():
        for address, keys in client.has_what().items():
            if set(keys) - before:
                victim = address
                break
        else:
            time.sleep(0.01)
    if victim is None:
        raise RuntimeError("it was finished before a worker could be crashed")
    crash(client, victim)
    result = future.result()
    restored(client, n_workers)
    return result
