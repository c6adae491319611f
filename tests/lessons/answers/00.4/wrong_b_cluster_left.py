"""Wrong: only the client is closed, and the cluster keeps running."""

from distributed import Client


def borrow(start, job):
    with Client(start()) as client:
        return job(client)
