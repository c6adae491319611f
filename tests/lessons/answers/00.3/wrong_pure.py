import os


def worker_pids(client):
    return [client.submit(os.getpid).result() for worker in client.nthreads()]
