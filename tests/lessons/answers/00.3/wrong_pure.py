import os


def worker_pids(client):
    return client.gather([client.submit(os.getpid) for worker in client.nthreads()])
