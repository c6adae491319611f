def inspect(client):
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(workers), sum(w["nthreads"] for w in workers), sum(w["memory_limit"] for w in workers) / 1e9
