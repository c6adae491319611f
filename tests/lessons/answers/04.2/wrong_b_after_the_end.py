"""Wrong: crashes the worker after the result is there, not "while it is computed"."""

from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    n_workers = len(addresses(client))
    future = client.compute(lazy)
    result = future.result()
    crash(client, addresses(client)[0])
    restored(client, n_workers)
    return result
