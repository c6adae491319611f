def inspect(client):
    workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
    return len(workers), workers[0]["nthreads"], workers[0]["memory_limit"]
