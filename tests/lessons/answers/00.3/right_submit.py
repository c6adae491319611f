import os


def worker_pids(client):
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return client.gather([client.submit(os.getpid, workers=[worker], pure=False) for worker in workers])
