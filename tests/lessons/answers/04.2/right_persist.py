"""The parts are watched in the graph of a persisted result."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    count = len(addresses(client))
    started = client.persist(lazy)
    while not (busy := [worker for worker, keys in client.has_what().items() if keys]):
        time.sleep(0.03)
    crash(client, busy[-1])
    answer = started.compute()
    restored(client, count)
    return answer
