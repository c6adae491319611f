"""A plain loop with three counters."""


def inspect(client):
    workers = 0
    threads = 0
    memory = 0
    for info in client.scheduler_info(n_workers=-1)["workers"].values():
        workers += 1
        threads += info["nthreads"]
        memory += info["memory_limit"]
    return workers, threads, memory
