"""Crashes when the result is there."""

import time

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    count = len(addresses(client))
    result = client.compute(lazy).result()
    time.sleep(0.5)
    crash(client, addresses(client)[0])
    restored(client, count)
    return result
