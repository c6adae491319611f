def inspect(client):
    threads = client.nthreads()
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(threads), sum(threads.values()), sum(w["memory_limit"] for w in workers)
