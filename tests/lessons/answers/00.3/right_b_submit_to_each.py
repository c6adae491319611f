"""One task for each worker, sent to just this worker, with pure=False."""

import os


def worker_pids(client):
    addresses = client.scheduler_info(n_workers=-1)["workers"]
    futures = [
        client.submit(os.getpid, workers=[address], allow_other_workers=False, pure=False) for address in addresses
    ]
    return client.gather(futures)
