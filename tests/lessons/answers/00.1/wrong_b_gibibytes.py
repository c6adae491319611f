"""Wrong: the memory is in GiB, not in bytes."""


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(info), sum(w["nthreads"] for w in info), sum(w["memory_limit"] for w in info) // 2**30
