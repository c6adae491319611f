"""Wrong: calls start() twice, and one of the two clusters is left running."""

from distributed import Client


def borrow(start, job):
    start()
    with start() as cluster, Client(cluster) as client:
        return job(client)
