"""Crashes before anything was done."""

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    count = len(addresses(client))
    crash(client, addresses(client)[0])
    restored(client, count)
    return client.compute(lazy).result()
