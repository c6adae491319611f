"""Wrong: counts the cores of the machine, not the threads of the workers."""

import os


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(info), os.cpu_count() * len(info), sum(w["memory_limit"] for w in info)
