import os


def worker_pids(client):
    return [os.getpid() for worker in client.nthreads()]
