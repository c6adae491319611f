"""Wrong: waits for something to be done but never crashes a worker."""

import time

from gpucluster.lessons.simulations.recovery import addresses, restored


def survive(client, lazy):
    n_workers = len(addresses(client))
    future = client.compute(lazy)
    while not any(client.has_what().values()):
        time.sleep(0.01)
    result = future.result()
    restored(client, n_workers)
    return result
