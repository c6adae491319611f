"""Wrong: without pure=False all calls are the same task, so one pid is repeated for all workers."""

import os


def worker_pids(client):
    addresses = client.scheduler_info(n_workers=-1)["workers"]
    futures = [client.submit(os.getpid, workers=[address]) for address in addresses]
    return [future.result() for future in futures]
