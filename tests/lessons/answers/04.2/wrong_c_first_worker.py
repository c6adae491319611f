"""Wrong: crashes the first worker, also where it has done nothing of the result yet."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    n_workers = len(addresses(client))
    future = client.compute(lazy)
    while not any(client.has_what().values()):
        time.sleep(0.02)
    crash(client, addresses(client)[0])
    result = future.result()
    restored(client, n_workers)
    return result
