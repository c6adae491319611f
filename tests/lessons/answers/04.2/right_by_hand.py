"""The process ends itself; the wait for results and workers is written by hand."""

import os
import time


def survive(client, lazy):
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    future = client.compute(lazy)
    while True:
        holding = {address: len(keys) for address, keys in client.has_what().items()}
        victim = max(holding, key=holding.get)
        if holding[victim] >= 2:
            break
        time.sleep(0.02)
    client.run(os._exit, 1, workers=[victim], on_error="ignore")
    result = future.result()
    while True:
        now = client.scheduler_info(n_workers=-1)["workers"]
        if victim not in now and len(now) == len(workers):
            return result
        time.sleep(0.05)
