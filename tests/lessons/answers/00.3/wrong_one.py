import os


def worker_pids(client):
    return [client.submit(os.getpid, pure=False).result()]
