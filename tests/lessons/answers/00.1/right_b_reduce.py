"""functools.reduce over the workers, without a loop."""

from functools import reduce


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return reduce(lambda a, w: (a[0] + 1, a[1] + w["nthreads"], a[2] + w["memory_limit"]), info, (0, 0, 0))
