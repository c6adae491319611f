"""Wrong: crashes after a fixed time, whatever has been done by then."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    n_workers = len(addresses(client))
    future = client.compute(lazy)
    time.sleep(0.4)
    victim = max(client.has_what().items(), key=lambda one: len(one[1]))[0]
    crash(client, victim)
    result = future.result()
    restored(client, n_workers)
    return result
