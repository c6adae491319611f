"""client.run, then a loop that appends."""

import os


def worker_pids(client):
    pids = []
    for address, pid in client.run(os.getpid).items():
        pids.append(pid)
    return pids
