def inspect(client):
    threads = memory = 0
    workers = client.scheduler_info(n_workers=-1)["workers"]
    for address in workers:
        threads += workers[address]["nthreads"]
        memory += workers[address]["memory_limit"]
    return [len(workers), threads, memory]
