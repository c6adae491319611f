import os


def worker_pids(client):
    return client.run(os.getpid)
