"""Wrong: when the job fails, the lines that close are not reached, and the cluster is left."""

from distributed import Client


def borrow(start, job):
    cluster = start()
    client = Client(cluster)
    result = job(client)
    client.close()
    cluster.close()
    return result
