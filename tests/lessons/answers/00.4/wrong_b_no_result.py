"""Wrong: does not return what the job returns."""

from distributed import Client


def borrow(start, job):
    with start() as cluster, Client(cluster) as client:
        job(client)
