"""Wrong: the notebook is in the list as well, although only workers were asked for."""

import os


def worker_pids(client):
    return [os.getpid()] + list(client.run(os.getpid).values())
