"""Wrong: a return in finally swallows the error of the job."""

from distributed import Client


def borrow(start, job):
    result = None
    cluster = start()
    client = Client(cluster)
    try:
        result = job(client)
    finally:
        client.close()
        cluster.close()
        return result
