"""Wrong: the error of the job is printed and does not reach the caller."""

from distributed import Client


def borrow(start, job):
    with start() as cluster, Client(cluster) as client:
        try:
            return job(client)
        except Exception as error:
            print("The job failed:", error)
