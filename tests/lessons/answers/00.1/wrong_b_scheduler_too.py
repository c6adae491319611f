"""Wrong: counts the scheduler as a worker."""


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    processes = len(info) + 1
    return processes, sum(w["nthreads"] for w in info), sum(w["memory_limit"] for w in info)
