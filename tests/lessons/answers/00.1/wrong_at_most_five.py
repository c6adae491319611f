def inspect(client):
    workers = client.scheduler_info()["workers"].values()
    return len(workers), sum(w["nthreads"] for w in workers), sum(w["memory_limit"] for w in workers)
