"""Wrong: crashes every worker, the exercise says "a worker"."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    workers = addresses(client)
    future = client.compute(lazy)
    while not any(client.has_what().values()):
        time.sleep(0.01)
    for address in workers:
        crash(client, address)
    result = future.result()
    restored(client, len(workers))
    return result
