"""Wrong: the memory is that of the first worker, not of all workers together."""


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"]
    first = next(iter(info.values()))
    return len(info), sum(w["nthreads"] for w in info.values()), first["memory_limit"]
